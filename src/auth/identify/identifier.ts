import type { Request } from 'express';
import type { Caller } from '../caller.js';

/** Says who sends a request. */
export abstract class Identifier {
  /** @throws {ApiError} when what the request shows is no good; never an identity by guess */
  abstract identify(request: Request): Promise<Caller>;
}
