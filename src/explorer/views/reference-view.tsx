import type { ViewProps } from '../load/page-context.ts';
import type { ReferenceData } from '../reference/reference-types.ts';
import { PageHead } from './parts.tsx';

/** The list of every route and method of this port. */
export const ReferenceView = ({ data: { description, hasRpc, html } }: ViewProps<ReferenceData>) => (
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
    </div>
    {/* HTML without escaping: rendered by Preact on this server, from this server's own documents. */}
    <div id="reference" dangerouslySetInnerHTML={{ __html: html }} />
  </>
);
