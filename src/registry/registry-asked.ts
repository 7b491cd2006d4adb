import { Signal } from '../telemetry/signal.js';
import type { NoAnswerReason, RegistrySource } from './registry-lookup.js';
import type { RegistryState } from '../domains/lifecycle/registry-state.js';

/** A question that was sent to a registry, and what came of it. The name is left out: it is nobody's business. */
export const registryAsked = new Signal<{
  readonly source: RegistrySource;
  readonly outcome: RegistryState | NoAnswerReason;
  readonly seconds: number;
}>('bowerbird:registry.asked');
