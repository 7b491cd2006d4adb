/** A part of Swagger UI, which React draws. */
type Component = (props: Readonly<Record<string, unknown>>) => unknown;

/** What Swagger UI hands to a plug-in. */
interface System {
  readonly React: {
    createElement(type: Component | string, props: object | null, ...children: unknown[]): unknown;
  };
}

/** Makes a part of Swagger UI of the one that it has itself. */
type Wrapping = (original: Component, system: System) => Component;

interface Plugin {
  readonly wrapComponents: Readonly<Record<string, Wrapping>>;
}

/**
 * How Swagger UI is set up: a key that was typed in is kept in the browser, and the bar with its logo gives way to ours. Functions go
 * to the browser as their text, so they hold nothing from outside.
 */
export const UI_OPTIONS = {
  persistAuthorization: true,
  layout: 'BaseLayout',
  plugins: [
    // The page is sent the text of this function, so it stands for itself: functions in a list have no names, which a bundler would keep by
    // a helper of its own.
    (): Plugin => ({
      wrapComponents: Object.fromEntries<Wrapping>([
        // Content outside of any landmark, and a heading that skips a level.
        [
          'InfoContainer',
          (original, { React }) =>
            (props) =>
              React.createElement(
                'section',
                { 'aria-label': 'About' },
                React.createElement(original, props),
                React.createElement('h2', { className: 'bower-unseen' }, 'Operations'),
              ),
        ],
        [
          'SchemesContainer',
          (original, { React }) =>
            (props) =>
              React.createElement('section', { 'aria-label': 'Key' }, React.createElement(original, props)),
        ],
        [
          'ServersContainer',
          (original, { React }) =>
            (props) =>
              React.createElement(
                'section',
                { 'aria-label': 'Server' },
                React.createElement(original, props),
              ),
        ],
        // A link inside of a button, which leads where the button does.
        [
          'DeepLink',
          (_, { React }) =>
            ({ text }) =>
              React.createElement('span', null, text),
        ],
      ]),
    }),
  ],
};
