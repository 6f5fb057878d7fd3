// Package pintonode places a pod on the node that an annotation names, past no check.
package pintonode

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "PinToNode"

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	Annotation string `json:"annotation,omitempty"`
}

// PinToNode compares names as NodeName does. Unlike spec.nodeName the annotation leaves the pod to the scheduler.
type PinToNode struct {
	args Args
}

var (
	_ fwk.PreFilterPlugin   = &PinToNode{}
	_ fwk.FilterPlugin      = &PinToNode{}
	_ fwk.EnqueueExtensions = &PinToNode{}
)

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	args := Args{Annotation: "example.com/pin"}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &PinToNode{args: args}, nil
}

// Name returns the plugin's name.
func (pl *PinToNode) Name() string { return Name }

// PreFilter leaves one node to look at. A node that does not exist is no error: it may come.
func (pl *PinToNode) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	wanted := pod.Annotations[pl.args.Annotation]
	if wanted == "" {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	for _, node := range nodes {
		if node.Node().Name == wanted {
			return &fwk.PreFilterResult{NodeNames: sets.New(wanted)}, nil
		}
	}
	return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node %s does not exist", wanted))
}

// PreFilterExtensions returns nil: PreFilter remembers nothing.
func (pl *PinToNode) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// Filter passes the node of that name. Evicting pods renames no node, so preemption need not try the others.
func (pl *PinToNode) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if node.Node().Name == pod.Annotations[pl.args.Annotation] {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) didn't match the pinned node")
}

// EventsToRegister says that only a new node can help.
func (pl *PinToNode) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}},
	}, nil
}
