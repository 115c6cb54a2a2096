import type { WebhookList } from '../../api/contract/answers.ts';
import type { PageContext } from './page-context.ts';
import { read, type Source, SourceError } from './source.ts';

export type WebhooksData = { readonly webhooks: WebhookList['webhooks'] };

export const webhooksPath = '/v1/webhooks';
/** The route whose refusal means that the reader must enter a token. */
export const tokenPath = '/ext/dev';

/** All webhooks of the server. */
export async function loadWebhooks(source: Source, { has }: PageContext): Promise<WebhooksData> {
  const webhooks: WebhooksData['webhooks'][number][] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: WebhookList = await read<WebhookList>(source, `${webhooksPath}?pageSize=100${token && `&pageToken=${token}`}`).catch(
      (error: unknown) => {
        if (!(error instanceof SourceError) || error.fault.status !== 403 || !has.devToken) throw error;
        throw new SourceError('a token is needed', { code: 'PAGE_SOURCE_FAILED', status: 403, path: tokenPath });
      },
    );
    webhooks.push(...page.webhooks);
    token = page.nextPageToken;
  }
  return { webhooks };
}
