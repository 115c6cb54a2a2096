import { useEffect, useState } from 'preact/hooks';
import type { Tx } from '../../api/contract/answers.ts';
import type { AcceptedTx } from '../load/load-tx.ts';
import { chainPath, type PageContext, type ViewProps } from '../load/page-context.ts';
import type { Signers } from '../load/tx-signers.ts';
import { memoParts } from '../text/payload-kind.ts';
import { useActions } from './actions.ts';
import { AddressLink, CopyButton, Panel, SaveMenu, Scroll } from './parts.tsx';
import { TableHead } from './table.tsx';

/** Signatures of the consumed outputs. A signature that signs several inputs is shown once. */
export function CredentialsPanel({ tx, signers, context }: { tx: Tx; signers: Signers; context: PageContext }) {
  const rows = new Map<string, { readonly inputs: number[]; readonly owners: readonly string[] }>();
  for (const [at, { utxoId, credentials = [], addresses }] of tx.consumedUtxos.entries())
    for (const [nth, { signature }] of credentials.entries()) {
      if (signature === undefined) continue;
      const signer = addresses[signers[utxoId]?.[nth] ?? -1];
      const row = rows.get(signature) ?? { inputs: [], owners: signer === undefined ? addresses : [signer] };
      row.inputs.push(at);
      rows.set(signature, row);
    }
  const memo = memoParts(tx.memo);
  const memoBytes = (tx.memo.length - 2) / 2;
  return (
    <Panel
      title="Credentials and memo"
      weight={memoBytes === 0 ? 'rest' : 'evidence'}
      side={rows.size > 0 && <SaveMenu csv="credentials" />}
    >
      <Scroll>
        <table data-csv="credentials">
          <TableHead columns={['Input', 'Owner', 'Signature']} />
          <tbody>
            {[...rows].map(([signature, { inputs, owners }]) => (
              <tr>
                <td data-name="Input">{inputs.join(', ')}</td>
                <td class="line-1">
                  {owners.length === 1 ? <AddressLink address={owners[0] as string} context={context} /> : `one of ${owners.length}`}
                </td>
                <td class="mono">
                  {signature.slice(0, 14)}…{signature.slice(-6)} <CopyButton text={signature} what="signature" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.size === 0 && <p class="table-foot">No signatures.</p>}
      <div class="memo">
        <p class="note">{memoBytes === 0 ? 'No memo' : `Memo, ${memo?.kind ?? 'not text'}, ${memoBytes} bytes`}</p>
        {memoBytes > 0 && (
          <>
            {memo !== undefined && (
              <pre>
                <bdi>{memo.parts.map((part, at) => (at % 2 === 1 ? <mark>{part}</mark> : part))}</bdi>
              </pre>
            )}
            <p class="mono breakable note">{tx.memo.slice(2)}</p>
          </>
        )}
      </div>
    </Panel>
  );
}

type Tab = 'curl' | 'ts' | 'json' | 'hex';

/** The transaction for programs: how to fetch it, its JSON, its bytes. The page has only parts of the JSON: it is fetched when it is shown. */
export function RawPanel({ data, context, origin }: Omit<ViewProps<AcceptedTx>, 'now'>) {
  const [tab, setTab] = useState<Tab>('curl');
  const path = `${chainPath(context)}/transactions/${data.tx.txHash}`;
  const json = useJson(path, data, tab === 'json');
  const texts: readonly (readonly [Tab, string, () => string])[] = [
    ['curl', 'curl', () => curlText(data, context, path, origin)],
    ['ts', 'TypeScript', () => typeScriptText(data, context, path, origin)],
    ['json', 'JSON', () => json],
    ...(data.hex === undefined ? [] : [['hex', 'Hex', () => data.hex ?? ''] as const]),
  ];
  const shown = texts.find(([name]) => name === tab) ?? (texts[0] as (typeof texts)[0]);
  const text = shown[2]();
  return (
    <section class="panel panel-rest raw">
      <div class="tabs">
        <div role="tablist" aria-label="The transaction for programs">
          {texts.map(([name, word]) => (
            <button type="button" role="tab" aria-selected={name === tab} aria-controls="raw-text" onClick={() => setTab(name)}>
              {word}
            </button>
          ))}
        </div>
        <CopyButton text={text} what={shown[1]} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable with the keyboard */}
      <pre id="raw-text" role="tabpanel" tabIndex={0} aria-label={shown[1]}>
        {text}
      </pre>
    </section>
  );
}

/** The JSON of a route: fetched when it is first shown, and again when the data of the page has changed. */
function useJson(path: string, data: unknown, isShown: boolean): string {
  const actions = useActions();
  const [text, setText] = useState('');
  useEffect(() => {
    if (!isShown || actions === undefined) return undefined;
    let isCurrent = true;
    void actions.getText(path).then((found) => {
      if (isCurrent) setText(found === undefined ? `GET ${path} failed` : JSON.stringify(JSON.parse(found), null, 1));
    });
    return () => {
      isCurrent = false;
    };
  }, [path, data, isShown, actions]);
  return text;
}

const curlText = ({ tx }: AcceptedTx, { has, chain }: PageContext, path: string, origin: string): string =>
  has.rpc
    ? `# Node RPC
curl -s ${origin}${chain.rpcUrl} \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"avm.getTx","params":{
  "txID":"${tx.txHash}",
  "encoding":"json"}}'

# Data API
curl -s ${origin}${path}`
    : `curl -s ${origin}${path}`;

const typeScriptText = ({ tx }: AcceptedTx, { has }: PageContext, path: string, origin: string): string =>
  has.rpc
    ? `import { avm } from '@avalabs/avalanchejs';\n\nconst x = new avm.AVMApi('${origin}');\nconst tx = await x.getTx({ txID: '${tx.txHash}' });`
    : `const response = await fetch('${origin}${path}');\nconst tx = await response.json();`;
