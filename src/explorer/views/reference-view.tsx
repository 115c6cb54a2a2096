import type { ViewProps } from '../load/page-context.ts';
import type { ReferenceData } from '../reference/reference-types.ts';
import { PageHead } from './parts.tsx';

/** The API reference: every route and method of this port, with a form to try it. */
export const ReferenceView = ({ data: { description, keyState, hasRpc, html }, context: { has } }: ViewProps<ReferenceData>) => (
  <>
    <PageHead
      title="API"
      line={description}
      buttons={
        <>
          <a class="button" href="/api-json">
            OpenAPI
          </a>
          {hasRpc && (
            <a class="button" href="/openrpc-json">
              OpenRPC
            </a>
          )}
        </>
      }
    />
    <div class="reference-tools row with-script">
      <label class="grow">
        Filter <input id="filter" type="search" placeholder="balance, avm.getTx, mempool …" autocomplete="off" spellcheck={false} />
      </label>
      {keyState !== 'none' && (
        <form class="row" data-key-form>
          <label>
            API key, {keyState} <input name="key" type="password" autocomplete="off" placeholder="stays in this tab" />
          </label>
          <button type="submit">Use it in this tab</button>
        </form>
      )}
      {has.devToken && (
        <form class="row" data-key-form="token">
          <label>
            Token of dev.* <input name="key" type="password" autocomplete="off" placeholder="stays in this tab" />
          </label>
          <button type="submit">Use it in this tab</button>
        </form>
      )}
    </div>
    {/* HTML without escaping: rendered by Preact on this server, from this server's own documents. */}
    <div id="reference" dangerouslySetInnerHTML={{ __html: html }} />
  </>
);
