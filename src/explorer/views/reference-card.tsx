import type { ComponentChildren } from 'preact';

type CardProps = {
  readonly id: string;
  /** `GET`, `POST` or `RPC`. */
  readonly word: string;
  readonly title: ComponentChildren;
  readonly about?: string;
  /** The text that the filter searches. */
  readonly find: string;
  readonly children: ComponentChildren;
};

/** A folded description of a route or method. `#id` in the URL opens it. */
export const ReferenceCard = ({ id, word, title, about, find, children }: CardProps) => (
  <details class="panel operation" id={id} data-find={find.toLowerCase()}>
    <summary>
      <b class={`verb verb-${word.toLowerCase()}`}>{word}</b> <span class="mono">{title}</span>
      {about !== undefined && <span class="about">{about}</span>}
    </summary>
    <div class="operation-columns">{children}</div>
  </details>
);

type TryProps = {
  readonly method: string;
  readonly path: string;
  /** The command for the example, which the script updates with the form. */
  readonly curl: string;
  /** The name of a JSON-RPC method. */
  readonly rpc?: string;
  /** A stream never ends, so it cannot be tried here. */
  readonly isStream?: boolean;
  readonly needsKey?: boolean;
  readonly children?: ComponentChildren;
};

/** A form that sends the request. Without script it shows the command for curl. */
export const TryForm = ({ method, path, curl, rpc, isStream = false, needsKey = false, children }: TryProps) => (
  <form data-try={method} data-path={path} data-rpc={rpc} data-needs-key={needsKey ? '' : undefined}>
    {children}
    <div class="with-script">
      {!isStream && (
        <button type="submit" class="primary">
          Send
        </button>
      )}
      <button type="button" data-fill="pageToken" hidden>
        Next page
      </button>
      <button type="button" data-fill="" hidden />
      <button type="button" data-copy={curl}>
        Copy as curl
      </button>
    </div>
    <pre class="well" data-curl>
      {curl}
    </pre>
    <div class="answer" hidden>
      <p role="status" />
      <pre class="well" />
    </div>
  </form>
);
