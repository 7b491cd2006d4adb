import type { OpenAPIObject } from '@nestjs/swagger';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The operations of the paths: a path holds nothing else here. */
export function operationsOf(paths: OpenAPIObject['paths']): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
}

/** The document with every operation changed. @param method of HTTP, in lower case */
export function mapOperations(
  document: OpenAPIObject,
  change: (operation: Operation, method: string, path: string) => Operation,
): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item as Record<string, Operation>);
    return [
      path,
      Object.fromEntries(operations.map(([method, operation]) => [method, change(operation, method, path)])),
    ] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
