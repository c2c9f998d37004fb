{{- define "hermod.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{- end -}}
{{- end }}

{{- define "hermod.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hermod.labels" -}}
{{ include "hermod.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The roles of the release, with spaces between them: those of a cell, or a router. */}}
{{- define "hermod.roles" -}}
{{ ternary "router" "api dispatcher" .Values.router.enabled }}
{{- end }}

{{/* The role that answers requests. */}}
{{- define "hermod.front" -}}
{{ ternary "router" "api" .Values.router.enabled }}
{{- end }}

{{/* The path that browsers use, which a route must send here. */}}
{{- define "hermod.path" -}}
{{- (urlParse (get .Values.config "HERMOD_PUBLIC_URL")).path | trimSuffix "/" | default "/" -}}
{{- end }}

{{- define "hermod.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "hermod.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "hermod.name" .) "default" .Values.serviceAccount.create) -}}
{{- end }}

{{- define "hermod.podSecurity" -}}
automountServiceAccountToken: false
# Service links would set variables that begin with HERMOD_.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "hermod.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The secret variables that a role needs, with spaces between them. Takes a dict of root and role. */}}
{{- define "hermod.secretsOf" -}}
{{- if eq .role "migrate" -}}
DATABASE_URL
{{- else if eq .role "router" -}}
HERMOD_CELLS_NATS_URL
{{- else if eq .role "dispatcher" -}}
{{ join " " (without .root.Values.secretVariables "HERMOD_ADMIN_KEY" "HERMOD_JWT_SECRET" "HERMOD_OIDC_CLIENT_SECRET" "HERMOD_CELLS_NATS_URL") }}
{{- else -}}
{{ join " " .root.Values.secretVariables }}
{{- end -}}
{{- end }}

{{- define "hermod.env" -}}
- name: NODE_ENV
  value: production
- name: HERMOD_DRAIN_TIMEOUT
  value: {{ printf "%ds" (int .root.Values.drainTimeoutSeconds) | quote }}
{{- range splitList " " (include "hermod.secretsOf" .) }}
- name: {{ . }}_FILE
  value: /run/secrets/hermod/{{ . }}
{{- end }}
{{- /* The API alone signs people in. Other roles would refuse to start without the client's secret. */}}
{{- $role := .role }}
{{- range $name, $value := .root.Values.config }}
{{- if or (eq $role "api") (not (hasPrefix "HERMOD_OIDC_" $name)) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "hermod.mounts" -}}
- name: secrets
  mountPath: /run/secrets/hermod
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "hermod.volumes" -}}
- name: secrets
  secret:
    secretName: {{ .root.Values.existingSecret }}
    defaultMode: 0440
    items:
      {{- range concat (splitList " " (include "hermod.secretsOf" .)) .root.Values.secretFiles }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The Deployment of a role. Takes a dict of root and role. */}}
{{- define "hermod.deployment" -}}
{{- $values := index .root.Values .role -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "hermod.name" .root }}-{{ .role }}
  labels:
    {{- include "hermod.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "hermod.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "hermod.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
      annotations:
        # Another one after a change of the Secret, so that an upgrade restarts the pods, which read it when they start.
        checksum/secret: {{ (lookup "v1" "Secret" .root.Release.Namespace .root.Values.existingSecret).data | toJson | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "hermod.serviceAccount" .root }}
      {{- include "hermod.podSecurity" .root | nindent 6 }}
      # The pause before SIGTERM, the drain, 4 s to end, and 1 s to spare.
      terminationGracePeriodSeconds: {{ add (int .root.Values.drainTimeoutSeconds) 10 }}
      topologySpreadConstraints:
        {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ $key }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "hermod.selector" $.root | nindent 14 }}
              app.kubernetes.io/component: {{ $.role }}
        {{- end }}
      containers:
        - name: {{ .role }}
          {{- include "hermod.image" .root | nindent 10 }}
          args: [{{ .role }}]
          env:
            {{- include "hermod.env" . | nindent 12 }}
            - name: HERMOD_METRICS_PORT
              value: "9464"
            - name: HERMOD_METRICS_HOST
              value: 0.0.0.0
            {{- if ne .role "dispatcher" }}
            - name: PORT
              value: "3000"
            {{- end }}
          ports:
            {{- if ne .role "dispatcher" }}
            - name: http
              containerPort: 3000
            {{- end }}
            - name: metrics
              containerPort: 9464
          # A start may wait for migrations.
          startupProbe:
            httpGet: { path: /health/live, port: metrics }
            periodSeconds: 2
            failureThreshold: 300
          livenessProbe:
            httpGet: { path: /health/live, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          # Of a cell: only Postgres, since without NATS deliveries go on. Of a router: it has reached the directory once.
          readinessProbe:
            httpGet: { path: /health/ready, port: metrics }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          lifecycle:
            preStop:
              # Waits until the pod has left the Service. A dispatcher is in none, and the wait does it no harm.
              exec: { command: [sleep, "5"] }
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          {{- include "hermod.containerSecurity" .root | nindent 10 }}
          volumeMounts:
            {{- include "hermod.mounts" . | nindent 12 }}
      volumes:
        {{- include "hermod.volumes" . | nindent 8 }}
      {{- range $field := list "nodeSelector" "tolerations" "affinity" }}
      {{- with index $values $field }}
      {{ $field }}:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
{{- end }}
