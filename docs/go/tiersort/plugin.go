// Package tiersort sorts the scheduling queue by the tier that a label names.
package tiersort

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

const (
	// Name is the plugin's name in a KubeSchedulerConfiguration.
	Name = "TierSort"

	tierLabel = "tier"
)

// Args are the plugin's arguments in pluginConfig. All profiles must give the same, since they share one queue.
type Args struct {
	Ranks   map[string]int64 `json:"ranks,omitempty"`
	Unknown int64            `json:"unknown,omitempty"`
}

// TierSort takes the place of PrioritySort.
type TierSort struct {
	args Args
}

var _ fwk.QueueSortPlugin = &TierSort{}

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	args := Args{Ranks: map[string]int64{"gold": 0, "silver": 1, "bronze": 2}, Unknown: 9}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &TierSort{args: args}, nil
}

// Name returns the plugin's name.
func (pl *TierSort) Name() string { return Name }

func (pl *TierSort) rank(entry fwk.QueuedPodInfo) int64 {
	if rank, ok := pl.args.Ranks[entry.GetPodInfo().GetPod().Labels[tierLabel]]; ok {
		return rank
	}
	return pl.args.Unknown
}

// Less sorts by tier, then by the time at which the pod was last added to the queue.
func (pl *TierSort) Less(a, b fwk.QueuedPodInfo) bool {
	if one, other := pl.rank(a), pl.rank(b); one != other {
		return one < other
	}
	return a.GetTimestamp().Before(b.GetTimestamp())
}
