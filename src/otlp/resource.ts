import { hostname } from "node:os";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { VERSION } from "../runtime/version";

/** Describes this process to the collector. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the values. */
const OWN = resourceFromAttributes({
  "service.name": "hermod",
  "service.version": VERSION,
  // Tells processes apart. Without it, backends take the counters of two processes for one.
  "service.instance.id": crypto.randomUUID(),
  "host.name": hostname(),
});

export function readResource(): Resource {
  return defaultResource()
    .merge(OWN)
    .merge(detectResources({ detectors: [envDetector] }));
}
