import { IsOptional, MaxLength, MinLength } from 'class-validator';
import { IsIntegerFrom } from '../validation/numbers.js';
import { ExportsEnv } from './exports.env.js';
import { IsHttpUrl } from './rules.js';

/** The part of {@link Env} that is about watching the service. */
export class OperationsEnv extends ExportsEnv {
  /** Port of its own, at HOST, that Prometheus reads /metrics at; 0 asks the system for a free one. Not set: there is none. */
  @IsOptional()
  @IsIntegerFrom(0, 65_535)
  METRICS_PORT: number | undefined = undefined;

  /** Secret that /metrics wants as `Authorization: Bearer`, at the port of its own or else at PORT. Neither set: there are no metrics. */
  @IsOptional()
  @MinLength(32, { message: 'METRICS_TOKEN must have at least 32 characters' })
  @MaxLength(1000)
  METRICS_TOKEN: string | undefined = undefined;

  /** Collector that traces of requests are sent to, by OTLP over HTTP: http://HOST:4318. Not set: nothing is traced. */
  @IsOptional()
  @IsHttpUrl()
  OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined = undefined;
}
