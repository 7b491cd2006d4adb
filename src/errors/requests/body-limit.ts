/** The largest body that any address reads, in bytes; what is said of it is in kB. */
export const MAX_BODY_BYTES = 16_384;
export const BODY_TOO_LARGE = `The body is larger than this service reads (${MAX_BODY_BYTES / 1024} kB).`;
