{{- define "moviola.labels" -}}
app.kubernetes.io/name: moviola
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* What selects the pods of a component: a list of the root and its name. */ -}}
{{- define "moviola.selector" -}}
app.kubernetes.io/name: moviola
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "moviola.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "moviola.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end }}

{{- define "moviola.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "moviola.tlsVolume" -}}
{{- with .Values.tlsSecretName }}
- name: tls
  secret:
    secretName: {{ . }}
{{- end }}
{{- end }}

{{- define "moviola.tlsMount" -}}
{{- if .Values.tlsSecretName }}
- name: tls
  mountPath: /etc/moviola/tls
  readOnly: true
{{- end }}
{{- end }}
