{{/* Short, since host names of pods become names of processes of at most 63 characters. */}}
{{- define "quipu.name" -}}
{{- .Release.Name | trunc 30 | trimSuffix "-" -}}
{{- end -}}

{{- define "quipu.labels" -}}
app.kubernetes.io/name: quipu
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* Of the pods of one process: a list of the root and the process. */}}
{{- define "quipu.selector" -}}
app.kubernetes.io/name: quipu
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "quipu.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "quipu.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* The processes of the mode. */}}
{{- define "quipu.processes" -}}
{{- if eq .Values.mode "fleet" }}gateway projector worker{{ else }}standalone{{ end -}}
{{- end -}}

{{/* The process that answers callers. */}}
{{- define "quipu.entrance" -}}
{{- if eq .Values.mode "fleet" }}gateway{{ else }}standalone{{ end -}}
{{- end -}}

{{/* A claim of one volume, by its `persistence`. */}}
{{- define "quipu.claim" -}}
accessModes: [ReadWriteOnce]
{{- with .storageClassName }}
storageClassName: {{ . }}
{{- end }}
resources: { requests: { storage: {{ .size }} } }
{{- end -}}
