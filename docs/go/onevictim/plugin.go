// Package onevictim makes room by evicting one pod that says it may be evicted.
package onevictim

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "OneVictim"

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	Label string `json:"label,omitempty"`
}

// OneVictim takes the place of DefaultPreemption.
//
// It judges CPU and memory itself. A plugin for production would take the pod off a copy of the node and ask
// Handle.RunFilterPluginsWithNominatedPods, look at disruption budgets, and mark the victim with the condition
// DisruptionTarget, as DefaultPreemption does.
type OneVictim struct {
	args   Args
	handle fwk.Handle
}

var _ fwk.PostFilterPlugin = &OneVictim{}

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args := Args{Label: "evictable"}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &OneVictim{args: args, handle: handle}, nil
}

// Name returns the plugin's name.
func (pl *OneVictim) Name() string { return Name }

// PostFilter evicts the least important candidate and nominates the pod to its node.
func (pl *OneVictim) PostFilter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	// Only these nodes: on the others removing pods does not help.
	nodes, err := statuses.NodesForStatusCode(pl.handle.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	var victim *v1.Pod
	for _, node := range nodes {
		for _, candidate := range node.GetPods() {
			other := candidate.GetPod()
			if !pl.helps(pod, other, node) {
				continue
			}
			if victim == nil || corev1helpers.PodPriority(other) < corev1helpers.PodPriority(victim) {
				victim = other
			}
		}
	}
	if victim == nil {
		return nil, fwk.NewStatus(fwk.Unschedulable, "no evictable pod makes room")
	}
	// The kubelet ends the victim within its grace period; its deletion wakes the nominated pod.
	err = pl.handle.ClientSet().CoreV1().Pods(victim.Namespace).Delete(ctx, victim.Name, metav1.DeleteOptions{})
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	result := &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{
		NominatedNodeName: victim.Spec.NodeName,
		NominatingMode:    fwk.ModeOverride,
	}}
	return result, nil
}

// helps says whether the other pod may be evicted and makes room alone.
func (pl *OneVictim) helps(pod, other *v1.Pod, node fwk.NodeInfo) bool {
	if other.Labels[pl.args.Label] != "true" || corev1helpers.PodPriority(other) >= corev1helpers.PodPriority(pod) {
		return false
	}
	wanted := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	freed := resourcehelper.PodRequests(other, resourcehelper.PodResourcesOptions{})
	used, allocatable := node.GetRequested(), node.GetAllocatable()
	cpu := allocatable.GetMilliCPU() - used.GetMilliCPU() + freed.Cpu().MilliValue()
	memory := allocatable.GetMemory() - used.GetMemory() + freed.Memory().Value()
	return cpu >= wanted.Cpu().MilliValue() && memory >= wanted.Memory().Value()
}
