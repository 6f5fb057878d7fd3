// Package overcommitfit checks that a pod fits on a node whose CPU may be promised more than once.
package overcommitfit

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "OvercommitFit"

const stateKey fwk.StateKey = Name

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	CPUPercent int64 `json:"cpuPercent,omitempty"`
}

// OvercommitFit stands in for the Filter of NodeResourcesFit.
type OvercommitFit struct {
	args Args
}

var (
	_ fwk.PreFilterPlugin   = &OvercommitFit{}
	_ fwk.FilterPlugin      = &OvercommitFit{}
	_ fwk.EnqueueExtensions = &OvercommitFit{}
)

// requests is what PreFilter remembers of the pod; it does not change, so a clone is the same.
type requests struct {
	milliCPU, memory int64
}

func (r *requests) Clone() fwk.StateData { return r }

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	args := Args{CPUPercent: 100}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &OvercommitFit{args: args}, nil
}

// Name returns the plugin's name.
func (pl *OvercommitFit) Name() string { return Name }

func requestsOf(pod *v1.Pod) *requests {
	wanted := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	return &requests{milliCPU: wanted.Cpu().MilliValue(), memory: wanted.Memory().Value()}
}

// PreFilter sums the pod's requests once for all nodes.
func (pl *OvercommitFit) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	state.Write(stateKey, requestsOf(pod))
	return nil, nil
}

// PreFilterExtensions returns nil: what is remembered does not depend on other pods.
func (pl *OvercommitFit) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter names everything that is short on the node.
func (pl *OvercommitFit) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	data, err := state.Read(stateKey)
	if err != nil {
		return fwk.AsStatus(err)
	}
	wanted := data.(*requests)
	used, allocatable := node.GetRequested(), node.GetAllocatable()
	var short []string
	if used.GetMilliCPU()+wanted.milliCPU > allocatable.GetMilliCPU()*pl.args.CPUPercent/100 {
		short = append(short, fmt.Sprintf("Insufficient cpu at %d%%", pl.args.CPUPercent))
	}
	if used.GetMemory()+wanted.memory > allocatable.GetMemory() {
		short = append(short, "Insufficient memory")
	}
	if len(node.GetPods())+1 > allocatable.GetAllowedPodNumber() {
		short = append(short, "Too many pods")
	}
	if len(short) == 0 {
		return nil
	}
	return fwk.NewStatus(fwk.Unschedulable, short...)
}

// EventsToRegister names what can make room: a node, more on a node, or a pod that held some and is gone.
func (pl *OvercommitFit) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable}},
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete}, QueueingHintFn: madeRoom},
	}, nil
}

func madeRoom(_ klog.Logger, _ *v1.Pod, oldObj, _ interface{}) (fwk.QueueingHint, error) {
	gone, ok := oldObj.(*v1.Pod)
	if !ok {
		return fwk.Queue, fmt.Errorf("%T is no pod", oldObj)
	}
	held := requestsOf(gone)
	if held.milliCPU > 0 || held.memory > 0 {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
