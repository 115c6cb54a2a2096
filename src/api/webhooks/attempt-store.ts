import type { SqlValue, WritableSql } from '../../ledger/index/sql.ts';
import { webhookLimits } from '../contract/webhook-schemas.ts';
import type { Attempt } from './webhook.ts';
import { type AttemptRow, attemptOf } from './webhook-tables.ts';

type Statement = readonly [text: string, values: readonly SqlValue[]];
/** A column of a number, where a value would have no type in PostgreSQL. */
const bigint = 'CAST(? AS BIGINT)';
const text = 'CAST(? AS TEXT)';

/** Statements that add attempts of a webhook, oldest first, and drop what is too much. One that failed takes the place of those of its message that failed alike. */
export function addAttempts(webhookID: string, attempts: readonly Attempt[]): Statement[] {
  const { attempts: maxAttempts, attemptBytes } = webhookLimits;
  return [
    ...attempts.flatMap(({ messageID, time, duration, attempt, isSentAgain, status, error, body }): Statement[] => [
      ['DELETE FROM webhook_attempt WHERE webhook = ? AND message = ? AND error = ? AND wanted = 0', [webhookID, messageID, error ?? '']],
      [
        `INSERT INTO webhook_attempt(webhook, number, message, time, duration, attempt, again, status, error, body, wanted)
         SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM webhook_attempt WHERE webhook_attempt.webhook = webhook.id),
           ${text}, ${bigint}, ${bigint}, ${bigint}, ${bigint}, ${bigint}, ${text}, ${text}, 0
         FROM webhook WHERE id = ?`,
        [messageID, time, duration, attempt, isSentAgain ? 1 : 0, status ?? null, error ?? null, body ?? null, webhookID],
      ],
    ]),
    [
      `DELETE FROM webhook_attempt WHERE webhook = ? AND number <= (SELECT max(number) FROM webhook_attempt WHERE webhook = ?) - ${maxAttempts}`,
      [webhookID, webhookID],
    ],
    [
      `UPDATE webhook_attempt SET body = NULL WHERE webhook = ? AND number IN (SELECT number FROM
         (SELECT number, sum(length(body)) OVER (ORDER BY number DESC) AS total FROM webhook_attempt WHERE webhook = ?) AS sized
         WHERE total > ${attemptBytes})`,
      [webhookID, webhookID],
    ],
  ];
}

/** The attempts of a webhook, newest first. */
export const readAttempts = async (sql: Pick<WritableSql, 'all'>, webhookID: string) =>
  (await sql.all<AttemptRow>('SELECT * FROM webhook_attempt WHERE webhook = ? ORDER BY number DESC', [webhookID])).map(attemptOf);

/** Attempts whose message shall be sent again. */
export const readWanted = async (sql: Pick<WritableSql, 'all'>) =>
  (await sql.all<AttemptRow & { webhook: string }>('SELECT * FROM webhook_attempt WHERE wanted = 1 ORDER BY number', [])).map((row) => ({
    ...attemptOf(row),
    webhookID: row.webhook,
  }));
