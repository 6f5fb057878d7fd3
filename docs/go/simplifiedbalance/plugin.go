// Package simplifiedbalance scores by the formula that is often told of NodeResourcesBalancedAllocation.
package simplifiedbalance

import (
	"context"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "SimplifiedBalance"

const stateKey fwk.StateKey = Name

// SimplifiedBalance gives 10 for equal shares and 0 for shares of 0 and 1: twice the penalty of the real plugin.
type SimplifiedBalance struct{}

var (
	_ fwk.PreScorePlugin  = &SimplifiedBalance{}
	_ fwk.ScorePlugin     = &SimplifiedBalance{}
	_ fwk.ScoreExtensions = &SimplifiedBalance{}
)

// requests is what PreScore remembers of the pod; it does not change, so a clone is the same.
type requests struct {
	milliCPU, memory int64
}

func (r *requests) Clone() fwk.StateData { return r }

// New makes the plugin for one profile.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return &SimplifiedBalance{}, nil
}

// Name returns the plugin's name.
func (pl *SimplifiedBalance) Name() string { return Name }

// PreScore sums the pod's requests once for all nodes; a pod without any has nothing to balance.
func (pl *SimplifiedBalance) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	wanted := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	found := &requests{milliCPU: wanted.Cpu().MilliValue(), memory: wanted.Memory().Value()}
	if found.milliCPU == 0 && found.memory == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	state.Write(stateKey, found)
	return nil
}

// Score is 10 minus ten times the difference of the shares.
func (pl *SimplifiedBalance) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	data, err := state.Read(stateKey)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	wanted := data.(*requests)
	used, allocatable := node.GetRequested(), node.GetAllocatable()
	cpu := share(used.GetMilliCPU()+wanted.milliCPU, allocatable.GetMilliCPU())
	memory := share(used.GetMemory()+wanted.memory, allocatable.GetMemory())
	return int64(math.Round(10 - math.Abs(cpu-memory)*10)), nil
}

func share(used, allocatable int64) float64 {
	return math.Min(float64(used)/float64(allocatable), 1)
}

// ScoreExtensions returns the plugin, which has a NormalizeScore.
func (pl *SimplifiedBalance) ScoreExtensions() fwk.ScoreExtensions { return pl }

// NormalizeScore brings 0 to 10 to the framework's 0 to 100.
func (pl *SimplifiedBalance) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	for i := range scores {
		scores[i].Score *= 10
	}
	return nil
}
