// Package nodepool keeps pods to the node pool that a label names.
package nodepool

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "NodePool"

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	LabelKey string `json:"labelKey,omitempty"`
	Fallback string `json:"fallback,omitempty"`
}

// NodePool passes the nodes of the pool that a pod asks for.
type NodePool struct {
	args Args
}

var (
	_ fwk.FilterPlugin      = &NodePool{}
	_ fwk.EnqueueExtensions = &NodePool{}
	_ fwk.SignPlugin        = &NodePool{}
)

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	args := Args{LabelKey: "pool", Fallback: "general"}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &NodePool{args: args}, nil
}

// Name returns the plugin's name.
func (pl *NodePool) Name() string { return Name }

func (pl *NodePool) pool(labels map[string]string) string {
	if pool, ok := labels[pl.args.LabelKey]; ok {
		return pool
	}
	return pl.args.Fallback
}

// Filter passes a node of the pod's pool. Evicting pods changes no pool, so preemption need not try.
func (pl *NodePool) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	wanted := pl.pool(pod.Labels)
	if pl.pool(node.Node().Labels) == wanted {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) are not in the pool %s", wanted))
}

// EventsToRegister says that a node of another pool only helps when it is new or its labels change.
func (pl *NodePool) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel}},
	}, nil
}

// SignPod says that pods of one pool are alike to this plugin; without it the profile cannot batch.
func (pl *NodePool) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: Name + ".pool()", Value: pl.pool(pod.Labels)}}, nil
}
