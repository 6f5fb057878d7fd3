// Command extenderserver answers a scheduler's HTTP extender calls: filter, prioritize, bind and preempt.
//
// The paths are free: urlPrefix and the verbs of the configuration name them. A call that is not answered with status
// 200 is an error. The field names of requests and answers are Go's (Pod, Nodes, NodeNames, FailedNodes): the types
// have no JSON tags.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

const maintenance = "example.com/maintenance"

// filter rules out nodes under maintenance. Answer with the kind of list that was asked with: with
// nodeCacheCapable the names, otherwise the nodes.
func filter(args *extenderv1.ExtenderArgs) *extenderv1.ExtenderFilterResult {
	result := &extenderv1.ExtenderFilterResult{FailedNodes: extenderv1.FailedNodesMap{}}
	if args.Nodes == nil {
		result.NodeNames = args.NodeNames
		return result
	}
	result.Nodes = &v1.NodeList{}
	for _, node := range args.Nodes.Items {
		if node.Annotations[maintenance] == "true" {
			result.FailedNodes[node.Name] = "node is under maintenance"
			continue
		}
		result.Nodes.Items = append(result.Nodes.Items, node)
	}
	return result
}

// prioritize gives 0 to 10, a bare list. The scheduler multiplies it by the extender's weight and by ten.
func prioritize(args *extenderv1.ExtenderArgs) extenderv1.HostPriorityList {
	scores := extenderv1.HostPriorityList{}
	if args.Nodes == nil {
		return scores
	}
	for _, node := range args.Nodes.Items {
		score := int64(0)
		if node.Labels["disk"] == "ssd" {
			score = extenderv1.MaxExtenderPriority
		}
		scores = append(scores, extenderv1.HostPriority{Host: node.Name, Score: score})
	}
	return scores
}

// bind really binds: with a bindVerb the scheduler does not.
func bind(ctx context.Context, client kubernetes.Interface, args *extenderv1.ExtenderBindingArgs) *extenderv1.ExtenderBindingResult {
	binding := &v1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: args.PodNamespace, Name: args.PodName, UID: args.PodUID},
		Target:     v1.ObjectReference{Kind: "Node", Name: args.Node},
	}
	result := &extenderv1.ExtenderBindingResult{}
	if err := client.CoreV1().Pods(args.PodNamespace).Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		result.Error = err.Error()
	}
	return result
}

// preempt keeps the candidates that cost one victim. The answer names victims by UID only.
func preempt(args *extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult {
	result := &extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	for name, victims := range args.NodeNameToVictims {
		if len(victims.Pods) != 1 {
			continue
		}
		kept := []*extenderv1.MetaPod{{UID: string(victims.Pods[0].UID)}}
		result.NodeNameToMetaVictims[name] = &extenderv1.MetaVictims{Pods: kept, NumPDBViolations: victims.NumPDBViolations}
	}
	for name, victims := range args.NodeNameToMetaVictims {
		if len(victims.Pods) == 1 {
			result.NodeNameToMetaVictims[name] = victims
		}
	}
	return result
}

// answering serves one verb: it decodes the call, and writes what the function makes of it.
func answering[Call, Answer any](answer func(context.Context, *Call) Answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		call := new(Call)
		if err := json.NewDecoder(r.Body).Decode(call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer(r.Context(), call)); err != nil {
			log.Print(err)
		}
	}
}

func main() {
	config, err := rest.InClusterConfig()
	if err != nil {
		log.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	mux := http.NewServeMux()
	mux.Handle("POST /filter", answering(func(_ context.Context, args *extenderv1.ExtenderArgs) *extenderv1.ExtenderFilterResult {
		return filter(args)
	}))
	mux.Handle("POST /prioritize", answering(func(_ context.Context, args *extenderv1.ExtenderArgs) extenderv1.HostPriorityList {
		return prioritize(args)
	}))
	mux.Handle("POST /bind", answering(func(ctx context.Context, args *extenderv1.ExtenderBindingArgs) *extenderv1.ExtenderBindingResult {
		return bind(ctx, client, args)
	}))
	mux.Handle("POST /preempt", answering(func(_ context.Context, args *extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult {
		return preempt(args)
	}))
	log.Fatal(http.ListenAndServe(":8080", mux))
}
