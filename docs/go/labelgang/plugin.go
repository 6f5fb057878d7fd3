// Package labelgang starts the pods of a gang together: those that share the label gang-id.
package labelgang

import (
	"context"
	"fmt"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

const (
	// Name is the plugin's name in a KubeSchedulerConfiguration.
	Name = "LabelGang"

	gangLabel = "gang-id"
	minLabel  = "gang-min"
)

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`
}

// LabelGang makes pods wait at Permit until gang-min of their gang hold a node.
//
// It keeps no counts of its own: who is bound, the lister knows, and who waits, the framework. So there is nothing
// that Unreserve could forget to take back.
type LabelGang struct {
	args   Args
	handle fwk.Handle
	pods   corelisters.PodLister
}

var (
	_ fwk.QueueSortPlugin   = &LabelGang{}
	_ fwk.PreFilterPlugin   = &LabelGang{}
	_ fwk.ReservePlugin     = &LabelGang{}
	_ fwk.PermitPlugin      = &LabelGang{}
	_ fwk.EnqueueExtensions = &LabelGang{}
)

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args := Args{TimeoutSeconds: 60}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	pods := handle.SharedInformerFactory().Core().V1().Pods().Lister()
	return &LabelGang{args: args, handle: handle, pods: pods}, nil
}

// Name returns the plugin's name.
func (pl *LabelGang) Name() string { return Name }

// Less keeps the pods of a gang together among pods of equal priority.
func (pl *LabelGang) Less(a, b fwk.QueuedPodInfo) bool {
	one, other := a.GetPodInfo().GetPod(), b.GetPodInfo().GetPod()
	if p, q := corev1helpers.PodPriority(one), corev1helpers.PodPriority(other); p != q {
		return p > q
	}
	if g, h := one.Labels[gangLabel], other.Labels[gangLabel]; g != h {
		return g < h
	}
	return a.GetTimestamp().Before(b.GetTimestamp())
}

func (pl *LabelGang) gang(pod *v1.Pod) (string, int, error) {
	gang := pod.Labels[gangLabel]
	text, ok := pod.Labels[minLabel]
	if gang == "" || !ok {
		return gang, 1, nil
	}
	least, err := strconv.Atoi(text)
	return gang, least, err
}

func (pl *LabelGang) members(pod *v1.Pod, gang string) ([]*v1.Pod, error) {
	return pl.pods.Pods(pod.Namespace).List(labels.SelectorFromSet(labels.Set{gangLabel: gang}))
}

// PreFilter does not let a gang try that is not complete.
func (pl *LabelGang) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	gang, least, err := pl.gang(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if gang == "" {
		return nil, nil
	}
	members, err := pl.members(pod, gang)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if len(members) >= least {
		return nil, nil
	}
	reason := fmt.Sprintf("gang %s has %d of %d pods", gang, len(members), least)
	return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason)
}

// PreFilterExtensions returns nil: PreFilter remembers nothing.
func (pl *LabelGang) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// waiting are the pods of a gang that wait on this plugin; the pod that is asked about is not among them.
func (pl *LabelGang) waiting(pod *v1.Pod, gang string) []fwk.WaitingPod {
	var found []fwk.WaitingPod
	pl.handle.IterateOverWaitingPods(func(waiting fwk.WaitingPod) {
		other := waiting.GetPod()
		if other.Namespace == pod.Namespace && other.Labels[gangLabel] == gang && other.UID != pod.UID {
			found = append(found, waiting)
		}
	})
	return found
}

// Permit lets the gang go with the pod that completes it, and makes the others wait.
func (pl *LabelGang) Permit(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	gang, least, err := pl.gang(pod)
	if err != nil {
		return fwk.AsStatus(err), 0
	}
	if gang == "" {
		return nil, 0
	}
	members, err := pl.members(pod, gang)
	if err != nil {
		return fwk.AsStatus(err), 0
	}
	waiting := pl.waiting(pod, gang)
	ready := len(waiting) + 1
	siblings := map[string]*v1.Pod{}
	for _, member := range members {
		if member.Spec.NodeName != "" && member.UID != pod.UID {
			ready++
		}
		siblings[member.Namespace+"/"+member.Name] = member
	}
	if ready < least {
		pl.handle.Activate(klog.FromContext(ctx), siblings)
		reason := fmt.Sprintf("%d of %d pods hold a node", ready, least)
		return fwk.NewStatus(fwk.Wait, reason), time.Duration(pl.args.TimeoutSeconds) * time.Second
	}
	for _, other := range waiting {
		other.Allow(Name)
	}
	return nil, 0
}

// Reserve has nothing to set aside.
func (pl *LabelGang) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// Unreserve gives up the whole gang with the pod that failed.
func (pl *LabelGang) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	gang := pod.Labels[gangLabel]
	if gang == "" {
		return
	}
	for _, other := range pl.waiting(pod, gang) {
		other.Reject(Name, fmt.Sprintf("gang %s gave up", gang))
	}
}

// EventsToRegister wakes a rejected pod by one of its own.
func (pl *LabelGang) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Add}, QueueingHintFn: sibling},
	}, nil
}

func sibling(_ klog.Logger, pod *v1.Pod, _, newObj interface{}) (fwk.QueueingHint, error) {
	other, ok := newObj.(*v1.Pod)
	if !ok {
		return fwk.Queue, fmt.Errorf("%T is no pod", newObj)
	}
	if other.Labels[gangLabel] == pod.Labels[gangLabel] {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
