import type { WebhookAttempts, WebhookList } from '../../api/contract/answers.ts';
import type { PageContext } from './page-context.ts';
import { read, readIfFound, type Source, SourceError } from './source.ts';

export type WebhooksData = {
  readonly webhooks: WebhookList['webhooks'];
  /** The webhook whose last attempts are shown. */
  readonly opened: { readonly id: string; readonly attempts: WebhookAttempts['attempts'] } | undefined;
};

export const webhooksPath = '/v1/webhooks';
/** The route whose refusal means that the reader must enter a token. */
export const tokenPath = '/ext/dev';

/** All webhooks of the caller, and the last attempts of one of them: of the only one if none is named. */
export async function loadWebhooks(source: Source, { has }: PageContext, name: string | null): Promise<WebhooksData> {
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
  const id = name === null && webhooks.length === 1 ? webhooks[0]?.id : webhooks.find((webhook) => webhook.id === name)?.id;
  const attempts = id === undefined ? undefined : await readIfFound<WebhookAttempts>(source, `${webhooksPath}/${id}/attempts`);
  return { webhooks, opened: id === undefined || attempts === undefined ? undefined : { id, attempts: attempts.attempts } };
}
