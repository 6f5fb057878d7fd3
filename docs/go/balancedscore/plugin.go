// Package balancedscore prefers nodes whose CPU and memory would be used to the same share.
package balancedscore

import (
	"context"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "BalancedScore"

const stateKey fwk.StateKey = Name

// BalancedScore scores 100 for equal shares and 50 for shares of 0 and 1.
type BalancedScore struct{}

var (
	_ fwk.PreScorePlugin = &BalancedScore{}
	_ fwk.ScorePlugin    = &BalancedScore{}
)

// requests is what PreScore remembers of the pod; it does not change, so a clone is the same.
type requests struct {
	milliCPU, memory int64
}

func (r *requests) Clone() fwk.StateData { return r }

// New makes the plugin for one profile.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return &BalancedScore{}, nil
}

// Name returns the plugin's name.
func (pl *BalancedScore) Name() string { return Name }

// PreScore sums the pod's requests once for all nodes; a pod without any has nothing to balance.
func (pl *BalancedScore) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	wanted := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	found := &requests{milliCPU: wanted.Cpu().MilliValue(), memory: wanted.Memory().Value()}
	if found.milliCPU == 0 && found.memory == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	state.Write(stateKey, found)
	return nil
}

// Score gives the more the closer the two shares are. It is in 0..100, so nothing needs normalizing.
func (pl *BalancedScore) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	data, err := state.Read(stateKey)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	wanted := data.(*requests)
	used, allocatable := node.GetRequested(), node.GetAllocatable()
	cpu := share(used.GetMilliCPU()+wanted.milliCPU, allocatable.GetMilliCPU())
	memory := share(used.GetMemory()+wanted.memory, allocatable.GetMemory())
	deviation := math.Abs(cpu-memory) / 2
	return int64((1 - deviation) * float64(fwk.MaxNodeScore)), nil
}

func share(used, allocatable int64) float64 {
	return math.Min(float64(used)/float64(allocatable), 1)
}

// ScoreExtensions returns nil: there is no NormalizeScore.
func (pl *BalancedScore) ScoreExtensions() fwk.ScoreExtensions { return nil }
