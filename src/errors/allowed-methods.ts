import type { Application } from 'express';

/** The parts of Express' router that tell which methods an address takes. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/**
 * The methods that the address takes, so that a wrong method is told as 405 with Allow and not as 404 (RFC 9110,
 * 15.5.6). Express answers both alike; its routes know the difference.
 *
 * @param path one that can be decoded; Express throws at others
 * @returns upper-case names; empty when the address is unknown
 */
export function allowedMethods(application: Application, path: string): string[] {
  const layers = application.router.stack as unknown as Layer[];
  const methods = layers.flatMap((layer) =>
    layer.route && layer.match(path) ? Object.keys(layer.route.methods) : [],
  );
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has('GET')) names.add('HEAD');
  return [...names].filter((name) => name !== '_ALL').sort();
}
