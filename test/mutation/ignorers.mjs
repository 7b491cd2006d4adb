// What no test of a rule can tell, and nobody need write one for.
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'untold',
    factory: () => ({
      shouldIgnore({ node }) {
        if (node.type === 'Decorator')
          return 'The OpenAPI documents repeat what decorators say, and are compared.';
        if (node.type === 'SwitchCase' && node.test === null && endsInNever(node))
          return 'The compiler proves that no value comes here.';
        return undefined;
      },
    }),
  },
];

function endsInNever({ consequent: [statement] }) {
  return (
    statement?.type === 'ReturnStatement' &&
    statement.argument?.type === 'TSSatisfiesExpression' &&
    statement.argument.typeAnnotation.type === 'TSNeverKeyword'
  );
}
