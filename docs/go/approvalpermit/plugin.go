// Package approvalpermit lets trusted teams pass, denies blocked ones, and makes the others wait for approval.
package approvalpermit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

const (
	// Name is the plugin's name in a KubeSchedulerConfiguration.
	Name = "ApprovalPermit"

	teamLabel      = "team"
	waitAnnotation = "example.com/wait-seconds"
)

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	Trusted        []string `json:"trusted,omitempty"`
	Blocked        []string `json:"blocked,omitempty"`
	TimeoutSeconds int64    `json:"timeoutSeconds,omitempty"`
}

// ApprovalPermit answers by the team that a pod belongs to.
type ApprovalPermit struct {
	args   Args
	handle fwk.Handle
}

var (
	_ fwk.PermitPlugin      = &ApprovalPermit{}
	_ fwk.EnqueueExtensions = &ApprovalPermit{}
)

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args := Args{Trusted: []string{"platform"}, Blocked: []string{"intern"}, TimeoutSeconds: 600}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &ApprovalPermit{args: args, handle: handle}, nil
}

// Name returns the plugin's name.
func (pl *ApprovalPermit) Name() string { return Name }

// Permit must answer at once: the scheduler tries no other pod meanwhile. Who approves does so later, see Approve.
//
// There is no code for denying: every rejecting code does. The framework waits for 15 minutes at most.
func (pl *ApprovalPermit) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	team := pod.Labels[teamLabel]
	if slices.Contains(pl.args.Trusted, team) {
		return nil, 0
	}
	if slices.Contains(pl.args.Blocked, team) {
		return fwk.NewStatus(fwk.Unschedulable, fmt.Sprintf("team %s may not use this cluster", team)), 0
	}
	seconds := pl.args.TimeoutSeconds
	if text, ok := pod.Annotations[waitAnnotation]; ok {
		wanted, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fwk.AsStatus(err), 0
		}
		seconds = min(seconds, wanted)
	}
	return fwk.NewStatus(fwk.Wait, "waiting for approval"), time.Duration(seconds) * time.Second
}

// Approve lets a waiting pod go on to its binding; false if it does not wait (any more).
func (pl *ApprovalPermit) Approve(uid types.UID) bool {
	waiting := pl.handle.GetWaitingPod(uid)
	if waiting == nil {
		return false
	}
	waiting.Allow(Name)
	return true
}

// Refuse sends a waiting pod back to the queue with a reason.
func (pl *ApprovalPermit) Refuse(uid types.UID, reason string) bool {
	waiting := pl.handle.GetWaitingPod(uid)
	return waiting != nil && waiting.Reject(Name, reason)
}

// EventsToRegister is empty: nothing in the cluster changes what a team may do.
func (pl *ApprovalPermit) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return nil, nil
}
