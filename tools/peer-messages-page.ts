import { messageTable } from '../src/network/messages/message-table.ts';
import type { Field } from '../src/network/messages/message-type.ts';

/** The table of messages between peers, one row per message, for docs/reference/peer-messages.md. */
export function renderPeerMessagesPage(): string {
  const rows = Object.entries(messageTable).map(([kind, { number, compressed, type }]) => {
    const fields = Object.entries(type.fields as Record<string, Field<unknown>>).map(
      ([name, field]) => `${field.number} \`${name}\` ${field.name}`,
    );
    return `| ${number} | \`${kind}\` | ${compressed ? 'yes' : 'no'} | ${fields.join('<br>')} |`;
  });
  return ['| number | message | compressed | fields |', '|---|---|---|---|', ...rows].join('\n');
}
