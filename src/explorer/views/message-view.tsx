import { useEffect, useState } from 'preact/hooks';
import type { ViewProps } from '../load/page-context.ts';

/** A page that is only a message: nothing found, several matches, a source that failed. */
export type MessageData = {
  readonly heading: string;
  readonly status: number;
  readonly text: string;
  /** What was asked for, in mono. */
  readonly subject?: string;
  readonly links: readonly { readonly href: string; readonly word: string; readonly note: string }[];
  /** Asks for an API key or for the token of `/ext/dev`. */
  readonly needs?: 'key' | 'token';
};

export const MessageView = ({ data: { heading, status, text, subject, links, needs } }: ViewProps<MessageData>) => (
  <section class="panel message">
    <h1>
      {status >= 400 && status !== 404 && <span class="bad-text">{status} </span>}
      {heading}
    </h1>
    {subject !== undefined && <p class="mono breakable">{subject}</p>}
    <p>{text}</p>
    {links.length > 0 && (
      <ul>
        {links.map(({ href, word, note }) => (
          <li>
            <a href={href} class="mono breakable">
              {status === 404 ? <Nearest word={word} typed={subject ?? ''} /> : word}
            </a>{' '}
            <span class="note">{note}</span>
          </li>
        ))}
      </ul>
    )}
    {needs !== undefined && <SecretForm needs={needs} />}
  </section>
);

/** Marks the one character in which a text differs from what was typed. */
function Nearest({ word, typed }: { word: string; typed: string }) {
  const at = word.length === typed.length ? [...word].findIndex((letter, i) => letter !== typed[i]) : -1;
  if (at < 0 || word.slice(at + 1) !== typed.slice(at + 1)) return <>{word}</>;
  return (
    <>
      {word.slice(0, at)}
      <mark>{word[at]}</mark>
      {word.slice(at + 1)}
    </>
  );
}

/** Until the script is ready the form cannot be sent: the browser would put the secret into the URL. */
function SecretForm({ needs }: { needs: 'key' | 'token' }) {
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <form class="row" data-secret={needs}>
      <label>
        {needs === 'key' ? 'API key' : 'Token'} <input name="key" type="password" autocomplete="off" required />
      </label>
      <button type="submit" class="primary" disabled={!isReady}>
        Use it in this tab
      </button>
    </form>
  );
}
