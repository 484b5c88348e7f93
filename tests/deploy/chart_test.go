package deploy

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	charts "helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// kinds are the types that the chart's objects are decoded into, without fields that these do not have.
var kinds = map[string]func() any{
	"apps/v1 Deployment":                     func() any { return &appsv1.Deployment{} },
	"apps/v1 StatefulSet":                    func() any { return &appsv1.StatefulSet{} },
	"autoscaling/v2 HorizontalPodAutoscaler": func() any { return &autoscalingv2.HorizontalPodAutoscaler{} },
	"networking.k8s.io/v1 Ingress":           func() any { return &networkingv1.Ingress{} },
	"networking.k8s.io/v1 NetworkPolicy":     func() any { return &networkingv1.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":          func() any { return &policyv1.PodDisruptionBudget{} },
	"v1 Service":                             func() any { return &corev1.Service{} },
}

// full turns on all that the chart can do.
const full = `
imagePullSecrets: [{name: registry}]
autoscaling: {enabled: true}
ingress: {enabled: true, className: nginx, tlsSecretName: video-tls, annotations: {a/b: "500m"}}
networkPolicy: {clients: [{podSelector: {}}]}
sandbox:
  seccompProfile: {type: Localhost, localhostProfile: moviola/seccomp.json}
  appArmorProfile: {type: Unconfined}
  procMount: Unmasked
  hostUsers: false
`

var document = regexp.MustCompile(`(?m)^---$`)

// rendered is the chart with values, by kind and name.
func rendered(t *testing.T, values string) map[string]any {
	t.Helper()
	chart, err := charts.LoadDir(filepath.Join(root, "deploy", "chart"))
	if err != nil {
		t.Fatal(err)
	}
	given, err := chartutil.ReadValues([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, given, chartutil.ReleaseOptions{Name: "video", Namespace: "media"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]any{}
	for name, content := range files {
		if path.Ext(name) != ".yaml" {
			continue
		}
		for _, text := range document.Split(content, -1) {
			if strings.TrimSpace(text) == "" {
				continue
			}
			kind, object := decoded(t, name, text)
			var named struct{ Metadata struct{ Name string } }
			if err := yaml.Unmarshal([]byte(text), &named); err != nil {
				t.Fatal(err)
			}
			objects[kind+" "+named.Metadata.Name] = object
		}
	}
	return objects
}

func decoded(t *testing.T, file, text string) (string, any) {
	t.Helper()
	var its struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(text), &its); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	make := kinds[its.APIVersion+" "+its.Kind]
	if make == nil {
		t.Fatalf("%s: an object of %s %s", file, its.APIVersion, its.Kind)
	}
	object := make()
	if err := yaml.UnmarshalStrict([]byte(text), object); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	return its.Kind, object
}

// pods are the templates of the chart's pods.
func pods(objects map[string]any) map[string]corev1.PodTemplateSpec {
	found := map[string]corev1.PodTemplateSpec{}
	for name, object := range objects {
		switch object := object.(type) {
		case *appsv1.Deployment:
			found[name] = object.Spec.Template
		case *appsv1.StatefulSet:
			found[name] = object.Spec.Template
		}
	}
	return found
}

// fromSecret is what the values say that the chart's Secret holds.
var fromSecret = map[string]string{
	"MOVIOLA_SECRET": strings.Repeat("s", 40), "MOVIOLA_MONGO": "mongodb://mongo/moviola", "MOVIOLA_ADMIN_TOKEN": strings.Repeat("t", 40),
	"MOVIOLA_EVENTSTORE": "esdb://service:word@video-eventstore:2113?tlsCAFile=/etc/moviola/tls/ca.crt",
	"AWS_ACCESS_KEY_ID":  "k", "AWS_SECRET_ACCESS_KEY": "s",
}

// The program takes the arguments and variables of every pod, and listens where its ports and probes are.
func TestChart_pods(t *testing.T) {
	for name, values := range map[string]string{"defaults": "", "full": full} {
		roles := map[string]bool{}
		for pod, template := range pods(rendered(t, values)) {
			t.Run(name+"/"+pod, func(t *testing.T) {
				if template.Spec.EnableServiceLinks == nil || *template.Spec.EnableServiceLinks {
					t.Error("its variables name every service of the namespace")
				}
				its := template.Spec.Containers[0]
				env := maps.Clone(fromSecret)
				for _, variable := range its.Env {
					env[variable.Name] = variable.Value
				}
				set := container{pod, its.Args, env}.check(t)
				checkSecurity(t, template.Spec)
				checkMounts(t, pod, template.Spec)
				if set == nil {
					set = map[string]string{"listen": strings.TrimPrefix(its.Args[3], "--listen=")}
				} else {
					checkGrace(t, template.Spec, set)
				}
				checkPorts(t, its, set)
				roles[set["roles"]] = true
			})
		}
		for _, role := range []string{"api", "projector", "renderer", "deliverer", "keeper"} {
			if !roles["["+role+"]"] {
				t.Errorf("%s: no pod plays %s, only %v", name, role, roles)
			}
		}
	}
}

func checkPorts(t *testing.T, its corev1.Container, set map[string]string) {
	t.Helper()
	ports := map[string]string{}
	for _, declared := range its.Ports {
		ports[declared.Name] = fmt.Sprint(declared.ContainerPort)
	}
	for name, flag := range map[string]string{"http": "listen", "grpc": "listen", "ops": "ops-listen"} {
		if declared, ok := ports[name]; ok && declared != port(t, set[flag]) {
			t.Errorf("port %s is %s, --%s is %s", name, declared, flag, set[flag])
		}
	}
	for _, probe := range []*corev1.Probe{its.StartupProbe, its.LivenessProbe, its.ReadinessProbe} {
		switch {
		case probe == nil:
		case probe.HTTPGet != nil:
			if ports[probe.HTTPGet.Port.StrVal] != port(t, set["ops-listen"]) || probe.HTTPGet.Path != "/healthz" && probe.HTTPGet.Path != "/readyz" {
				t.Errorf("a probe asks %+v", probe.HTTPGet)
			}
		case ports[probe.TCPSocket.Port.StrVal] == "":
			t.Errorf("a probe asks %+v", probe.TCPSocket)
		}
	}
	if its.LivenessProbe.HTTPGet != nil && its.LivenessProbe.HTTPGet.Path != "/healthz" {
		t.Error("a pod is started anew because a store is away")
	}
}

// checkSecurity holds a pod against what Kubernetes calls restricted, apart from the profile of the renderer's sandbox.
func checkSecurity(t *testing.T, spec corev1.PodSpec) {
	t.Helper()
	its := spec.Containers[0].SecurityContext
	if !*spec.SecurityContext.RunAsNonRoot || *its.AllowPrivilegeEscalation || !*its.ReadOnlyRootFilesystem ||
		!slices.Equal(its.Capabilities.Drop, []corev1.Capability{"ALL"}) || *spec.AutomountServiceAccountToken {
		t.Errorf("%+v, %+v", spec.SecurityContext, its)
	}
}

// checkMounts: each mount has its volume, and data and temporary files have theirs.
func checkMounts(t *testing.T, pod string, spec corev1.PodSpec) {
	t.Helper()
	volumes, paths := []string{}, []string{}
	for _, volume := range spec.Volumes {
		volumes = append(volumes, volume.Name)
	}
	if strings.HasPrefix(pod, "StatefulSet") {
		volumes = append(volumes, "data") // by its claim
	}
	for _, mount := range spec.Containers[0].VolumeMounts {
		paths = append(paths, mount.MountPath)
		if !slices.Contains(volumes, mount.Name) {
			t.Errorf("no volume %s", mount.Name)
		}
	}
	if !slices.Contains(paths, "/data") || !slices.Contains(paths, "/tmp") {
		t.Errorf("only %v can be written to", paths)
	}
}

// What the autoscaler, the budgets, the policies and the services select is there.
func TestChart_selections(t *testing.T) {
	objects := rendered(t, full)
	selected := func(labels map[string]string) (found []corev1.PodTemplateSpec) {
		for _, template := range pods(objects) {
			if labels != nil && bytes.Equal(fmt.Append(nil, labels), fmt.Append(nil, template.Labels)) {
				found = append(found, template)
			}
		}
		return found
	}
	named := func(template corev1.PodTemplateSpec, at intstr.IntOrString) bool {
		return slices.ContainsFunc(template.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == at.StrVal })
	}
	seen := map[string]int{}
	for name, object := range objects {
		var labels map[string]string
		var ports []intstr.IntOrString
		switch object := object.(type) {
		case *policyv1.PodDisruptionBudget:
			labels = object.Spec.Selector.MatchLabels
		case *networkingv1.NetworkPolicy:
			labels = object.Spec.PodSelector.MatchLabels
			for _, rule := range object.Spec.Ingress {
				ports = append(ports, *rule.Ports[0].Port)
			}
		case *corev1.Service:
			labels = object.Spec.Selector
			ports = append(ports, object.Spec.Ports[0].TargetPort)
		case *autoscalingv2.HorizontalPodAutoscaler:
			target, ok := objects["Deployment "+object.Spec.ScaleTargetRef.Name].(*appsv1.Deployment)
			if !ok || target.Spec.Replicas != nil {
				t.Errorf("%s scales %+v, whose replicas a rollout sets too", name, object.Spec.ScaleTargetRef)
			}
			continue
		case *networkingv1.Ingress:
			if objects["Service "+object.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name] == nil {
				t.Errorf("%s leads nowhere", name)
			}
			continue
		default:
			continue
		}
		seen[fmt.Sprintf("%T", object)]++
		found := selected(labels)
		if len(found) != 1 {
			t.Errorf("%s selects %d kinds of pods by %v", name, len(found), labels)
			continue
		}
		for _, at := range ports {
			if !named(found[0], at) {
				t.Errorf("%s: there is no port %s", name, at.String())
			}
		}
	}
	if seen["*v1.NetworkPolicy"] != 6 || seen["*v1.PodDisruptionBudget"] != 5 || seen["*v1.Service"] != 2 {
		t.Errorf("looked at %v", seen)
	}
}
