// Package reservationcheck looks at a pod's claims and at its team's reserved GPUs before the pod is bound.
package reservationcheck

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/storage/ephemeral"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

const (
	// Name is the plugin's name in a KubeSchedulerConfiguration.
	Name = "ReservationCheck"

	teamLabel           = "team"
	encryptedAnnotation = "example.com/encrypted"
	reservedPrefix      = "gpus.example.com/"
)

// Args are the plugin's arguments in pluginConfig.
type Args struct {
	GPU v1.ResourceName `json:"gpu,omitempty"`
}

// ReservationCheck refuses pods with plain claims, and GPUs that nobody reserved for the pod's team.
type ReservationCheck struct {
	args   Args
	handle fwk.Handle
	claims corelisters.PersistentVolumeClaimLister
	nodes  corelisters.NodeLister
}

var (
	_ fwk.PreBindPlugin  = &ReservationCheck{}
	_ fwk.PostBindPlugin = &ReservationCheck{}
)

// New makes the plugin for one profile.
func New(_ context.Context, obj runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args := Args{GPU: "nvidia.com/gpu"}
	if err := frameworkruntime.DecodeInto(obj, &args); err != nil {
		return nil, err
	}
	core := handle.SharedInformerFactory().Core().V1()
	return &ReservationCheck{
		args:   args,
		handle: handle,
		claims: core.PersistentVolumeClaims().Lister(),
		// The snapshot may not be read in the binding cycle, the informer's lister may.
		nodes: core.Nodes().Lister(),
	}, nil
}

// Name returns the plugin's name.
func (pl *ReservationCheck) Name() string { return Name }

func (pl *ReservationCheck) gpus(pod *v1.Pod) int64 {
	quantity := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})[pl.args.GPU]
	return quantity.Value()
}

// podClaims are the pod's claims that exist.
func (pl *ReservationCheck) podClaims(pod *v1.Pod) ([]*v1.PersistentVolumeClaim, error) {
	var found []*v1.PersistentVolumeClaim
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		var name string
		switch {
		case volume.PersistentVolumeClaim != nil:
			name = volume.PersistentVolumeClaim.ClaimName
		case volume.Ephemeral != nil:
			name = ephemeral.VolumeClaimName(pod, volume)
		default:
			continue
		}
		claim, err := pl.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, claim)
	}
	return found, nil
}

// PreBindPreFlight skips pods without claims and GPUs. It must not do any of the work.
func (pl *ReservationCheck) PreBindPreFlight(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	claims, err := pl.podClaims(pod)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if len(claims) == 0 && pl.gpus(pod) == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// PreBind fails with an error, so the pod is tried again after a growing backoff.
func (pl *ReservationCheck) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {
	claims, err := pl.podClaims(pod)
	if err != nil {
		return fwk.AsStatus(err)
	}
	var plain []string
	for _, claim := range claims {
		if claim.Annotations[encryptedAnnotation] != "true" {
			plain = append(plain, claim.Name)
		}
	}
	if len(plain) > 0 {
		return fwk.AsStatus(fmt.Errorf("claims are not encrypted: %s", strings.Join(plain, ", ")))
	}
	node, err := pl.nodes.Get(nodeName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	team := pod.Labels[teamLabel]
	var reserved int64
	if text, ok := node.Annotations[reservedPrefix+team]; ok {
		if reserved, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fwk.AsStatus(err)
		}
	}
	if pl.gpus(pod) > reserved {
		return fwk.AsStatus(fmt.Errorf("team %s has %d GPUs reserved on %s", team, reserved, nodeName))
	}
	return nil
}

// PostBind tells of the GPUs in an event.
func (pl *ReservationCheck) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	if gpus := pl.gpus(pod); gpus > 0 {
		pl.handle.EventRecorder().Eventf(pod, nil, v1.EventTypeNormal, Name, "Binding",
			"uses %d GPUs that %s reserved", gpus, pod.Labels[teamLabel])
	}
}
