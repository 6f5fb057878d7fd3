// Package keepapart keeps the pods of different tenants out of each other's topology domains.
package keepapart

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Name is the plugin's name in a KubeSchedulerConfiguration.
const Name = "KeepApart"

const stateKey fwk.StateKey = Name

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	Label       string `json:"label,omitempty"`
	TopologyKey string `json:"topologyKey,omitempty"`
}

// KeepApart is InterPodAffinity in small: one label in place of selectors, and no namespaces.
type KeepApart struct {
	args   Args
	handle fwk.Handle
}

var (
	_ fwk.PreFilterPlugin     = &KeepApart{}
	_ fwk.PreFilterExtensions = &KeepApart{}
	_ fwk.FilterPlugin        = &KeepApart{}
	_ fwk.PreScorePlugin      = &KeepApart{}
	_ fwk.ScorePlugin         = &KeepApart{}
	_ fwk.ScoreExtensions     = &KeepApart{}
	_ fwk.EnqueueExtensions   = &KeepApart{}
)

// counts is what PreFilter remembers: by domain the pods of other tenants, and the nodes with pods of the tenant.
type counts struct {
	others, own map[string]int
}

// Clone copies the maps, since preemption takes pods away from a clone.
func (c *counts) Clone() fwk.StateData {
	clone := &counts{others: make(map[string]int, len(c.others)), own: make(map[string]int, len(c.own))}
	for domain, count := range c.others {
		clone.others[domain] = count
	}
	for domain, count := range c.own {
		clone.own[domain] = count
	}
	return clone
}

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args := Args{Label: "tenant", TopologyKey: v1.LabelTopologyZone}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	return &KeepApart{args: args, handle: handle}, nil
}

// Name returns the plugin's name.
func (pl *KeepApart) Name() string { return Name }

// PreFilter counts once, for all nodes, who is in which domain.
func (pl *KeepApart) PreFilter(_ context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	tenant := pod.Labels[pl.args.Label]
	if tenant == "" {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	found := &counts{others: map[string]int{}, own: map[string]int{}}
	for _, node := range nodes {
		domain, ok := node.Node().Labels[pl.args.TopologyKey]
		if !ok {
			continue
		}
		here := false
		for _, info := range node.GetPods() {
			if other, ok := info.GetPod().Labels[pl.args.Label]; ok && other != tenant {
				found.others[domain]++
			} else if ok {
				here = true
			}
		}
		if here {
			found.own[domain]++
		}
	}
	state.Write(stateKey, found)
	return nil, nil
}

// PreFilterExtensions returns the plugin: what it remembers depends on the pods of the nodes.
func (pl *KeepApart) PreFilterExtensions() fwk.PreFilterExtensions { return pl }

// AddPod counts a pod that preemption puts back.
func (pl *KeepApart) AddPod(_ context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	return pl.count(state, pod, added.GetPod(), node, 1)
}

// RemovePod takes a pod off the count while preemption tries the node without it.
func (pl *KeepApart) RemovePod(_ context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	return pl.count(state, pod, removed.GetPod(), node, -1)
}

func (pl *KeepApart) count(state fwk.CycleState, pod, other *v1.Pod, node fwk.NodeInfo, by int) *fwk.Status {
	found, err := read(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	domain, ok := node.Node().Labels[pl.args.TopologyKey]
	if tenant := other.Labels[pl.args.Label]; ok && tenant != "" && tenant != pod.Labels[pl.args.Label] {
		found.others[domain] += by
	}
	return nil
}

func read(state fwk.CycleState) (*counts, error) {
	data, err := state.Read(stateKey)
	if err != nil {
		return nil, err
	}
	return data.(*counts), nil
}

// Filter rules out domains of other tenants. A node without the label is in no domain, and never blocked.
func (pl *KeepApart) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	found, err := read(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	domain, ok := node.Node().Labels[pl.args.TopologyKey]
	if ok && found.others[domain] > 0 {
		return fwk.NewStatus(fwk.Unschedulable, "node(s) are in a domain of other tenants")
	}
	return nil
}

// PreScore skips pods that belong to nobody.
func (pl *KeepApart) PreScore(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if pod.Labels[pl.args.Label] == "" {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// Score counts the nodes of the domain that run pods of the tenant.
func (pl *KeepApart) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	found, err := read(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	domain, ok := node.Node().Labels[pl.args.TopologyKey]
	if !ok {
		return 0, nil
	}
	return int64(found.own[domain]), nil
}

// ScoreExtensions returns the plugin, which has a NormalizeScore.
func (pl *KeepApart) ScoreExtensions() fwk.ScoreExtensions { return pl }

// NormalizeScore spreads the scores over 0 to 100; equal ones are all 0.
func (pl *KeepApart) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	least, greatest := scores[0].Score, scores[0].Score
	for _, score := range scores {
		least, greatest = min(least, score.Score), max(greatest, score.Score)
	}
	for i := range scores {
		if greatest == least {
			scores[i].Score = 0
			continue
		}
		scores[i].Score = (scores[i].Score - least) * fwk.MaxNodeScore / (greatest - least)
	}
	return nil
}

// EventsToRegister names what can open a domain: a pod that goes, other labels, a node.
func (pl *KeepApart) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.Delete | fwk.UpdatePodLabel}},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel}},
	}, nil
}
