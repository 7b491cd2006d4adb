/** Where an operation says which types its body may have beside JSON; the OpenAPI documents have them in their place. */
export const REQUEST_CONTENT = 'x-request-content';
