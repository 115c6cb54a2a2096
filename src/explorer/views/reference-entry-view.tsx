import type { ViewProps } from '../load/page-context.ts';
import type { ReferenceEntryData } from '../reference/reference-types.ts';
import { PageHead } from './parts.tsx';

/** The page of one method or route: what it does, its parameters, an example in each language, its errors, and a form to try it. */
export const ReferenceEntryView = ({ data: { name, verb, summary, group, secret, html } }: ViewProps<ReferenceEntryData>) => (
  <>
    <p class="crumbs">
      <a href="/api">API</a> / <a href={`/api#${group.id}`}>{group.name}</a>
    </p>
    <PageHead title={name} chip={<b class={`verb verb-${verb.toLowerCase()}`}>{verb}</b>} line={summary} />
    {secret !== 'none' && (
      <form class="row reference-tools with-script" data-key-form={secret === 'token' ? 'token' : ''}>
        <label>
          {secretWords[secret]} <input name="key" type="password" autocomplete="off" placeholder="stays in this tab" />
        </label>
        <button type="submit">Use it in this tab</button>
      </form>
    )}
    {/* HTML without escaping: rendered by Preact on this server, from this server's own documents. */}
    <div id="reference" dangerouslySetInnerHTML={{ __html: html }} />
  </>
);

const secretWords = { 'optional key': 'API key, optional', 'required key': 'API key, required', token: 'Token of dev.*' } as const;
