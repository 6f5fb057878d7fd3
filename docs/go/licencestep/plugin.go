// Package licencestep takes one of a node's licences before a pod is bound, and gives it back when that fails.
package licencestep

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	// Name is the plugin's name in a KubeSchedulerConfiguration.
	Name = "LicenceStep"

	licences = "example.com/licences"
)

// LicenceStep counts the bound pods of a node, and those that are about to be.
//
// The binding cycles of several pods run at the same time, so what PreBind takes is behind a lock. Without Unreserve a
// pod that fails later would keep its licence for good.
type LicenceStep struct {
	handle fwk.Handle
	pods   corelisters.PodLister
	nodes  corelisters.NodeLister

	mu   sync.Mutex
	held map[types.UID]string
}

var (
	_ fwk.ReservePlugin  = &LicenceStep{}
	_ fwk.PreBindPlugin  = &LicenceStep{}
	_ fwk.PostBindPlugin = &LicenceStep{}
)

// New makes the plugin for one profile.
func New(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	core := handle.SharedInformerFactory().Core().V1()
	return &LicenceStep{
		handle: handle,
		pods:   core.Pods().Lister(),
		nodes:  core.Nodes().Lister(),
		held:   map[types.UID]string{},
	}, nil
}

// Name returns the plugin's name.
func (pl *LicenceStep) Name() string { return Name }

// Reserve has nothing to set aside yet; being a Reserve plugin is what gets Unreserve called.
func (pl *LicenceStep) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// Unreserve gives the licence back. It is called in the reverse order of the Reserve plugins, and also when PreBind was
// never reached, so it must do no harm then.
func (pl *LicenceStep) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	delete(pl.held, pod.UID)
}

// PreBindPreFlight says that there is always something to do.
func (pl *LicenceStep) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// PreBind fails with an error when all licences of the node are used; the pod is retried after a growing backoff.
func (pl *LicenceStep) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {
	node, err := pl.nodes.Get(nodeName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	total := 0
	if text, ok := node.Annotations[licences]; ok {
		if total, err = strconv.Atoi(text); err != nil {
			return fwk.AsStatus(err)
		}
	}
	used, err := pl.take(pod, nodeName, total)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if used >= total {
		return fwk.AsStatus(fmt.Errorf("%d of %d licences are used on %s", used, total, nodeName))
	}
	return nil
}

// take counts the licences that other pods use on the node, and takes one for the pod if any is left.
func (pl *LicenceStep) take(pod *v1.Pod, nodeName string, total int) (int, error) {
	pods, err := pl.pods.List(labels.Everything())
	if err != nil {
		return 0, err
	}
	exists, owners := map[types.UID]bool{}, map[types.UID]bool{}
	for _, other := range pods {
		exists[other.UID] = true
		if other.Spec.NodeName == nodeName {
			owners[other.UID] = true
		}
	}
	pl.mu.Lock()
	defer pl.mu.Unlock()
	for uid, node := range pl.held {
		if !exists[uid] {
			delete(pl.held, uid)
		} else if node == nodeName {
			owners[uid] = true
		}
	}
	delete(owners, pod.UID)
	if len(owners) < total {
		pl.held[pod.UID] = nodeName
	}
	return len(owners), nil
}

// PostBind tells of the licence in an event.
func (pl *LicenceStep) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, nodeName string) {
	pl.handle.EventRecorder().Eventf(pod, nil, v1.EventTypeNormal, Name, "Binding", "uses a licence of %s", nodeName)
}
