import { useEffect, useRef, useState } from 'preact/hooks';
import { maxLabelLength } from '../../api/contract/label-name.ts';
import { accountName, type PageContext } from '../load/page-context.ts';
import { useActions, useDevCall } from './actions.ts';

type ToolProps = { readonly address: string; readonly context: PageContext };

/** What a reader can do with an address: watch it, name it, show its QR code. With script only. */
export const AddressTools = ({ address, context }: ToolProps) => (
  <>
    <WatchButton address={address} />
    <NameButton address={address} context={context} />
    <QrButton address={address} />
  </>
);

/** Puts the address on the watch page, and marks the title of the tab when a transaction changes it, also while another tab is shown. */
function WatchButton({ address }: Pick<ToolProps, 'address'>) {
  const actions = useActions();
  const [isWatched, setWatched] = useState(false);
  useEffect(() => setWatched(actions?.watched().includes(address) === true), [address, actions]);
  return (
    <button
      type="button"
      class="with-script"
      aria-pressed={isWatched}
      title="The page Watch lists it; the title of the tab says when something arrives"
      onClick={() => {
        actions?.watch(address, !isWatched);
        setWatched(!isWatched);
      }}
    >
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <path d="M7 1l1.9 3.9 4.3.6-3.1 3 .7 4.3L7 10.8l-3.8 2 .7-4.3-3.1-3 4.3-.6z" class={isWatched ? 'solid' : 'glyph'} />
      </svg>
      {isWatched ? 'Watched' : 'Watch'}
    </button>
  );
}

/** Names the address: with `dev.label` on a developer's chain, else in this browser. */
function NameButton({ address, context }: ToolProps) {
  const actions = useActions();
  const dialog = useRef<HTMLDialogElement>(null);
  const { run, note, isBusy } = useDevCall();
  const [fault, setFault] = useState('');
  const name = accountName(context, address);
  // `account 1` is not a name that somebody gave.
  const given = name !== undefined && /^account \d+$/.test(name) ? undefined : name;
  const isLabel = context.accountNames !== undefined;
  const save = async (text: string): Promise<void> => {
    if (isLabel) return run('dev.label', { address, name: text }, () => '').then(() => undefined);
    const reason = actions?.keepName(address, text);
    setFault(reason ?? '');
    if (reason === undefined) dialog.current?.close();
  };
  // A label that was set comes back with the page.
  useEffect(() => dialog.current?.close(), [given]);
  return (
    <>
      <button type="button" class="with-script" onClick={() => dialog.current?.showModal()}>
        {given === undefined ? 'Name it' : 'Rename'}
      </button>
      <dialog ref={dialog} aria-label="Name of this address">
        <form
          method="dialog"
          class="name-form"
          onSubmit={(event) => {
            event.preventDefault();
            void save(String(new FormData(event.currentTarget).get('name')).trim());
          }}
        >
          <label>
            Name of this address
            <input name="name" defaultValue={given ?? ''} maxLength={maxLabelLength} autocomplete="off" placeholder="none" />
          </label>
          <p class="note">
            {isLabel
              ? 'A label of this chain: dev.label. Everybody who uses the chain sees it; an empty one removes it.'
              : 'Kept in this browser only and shown in every list; an empty one removes it.'}
          </p>
          <p class="bad-text" role="status">
            {note?.isError ? note.text : fault}
          </p>
          <button type="submit" class="primary" disabled={isBusy}>
            Save
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </form>
      </dialog>
    </>
  );
}

/** Shows the QR code of the address. Its encoder is loaded when somebody asks for it. */
function QrButton({ address }: Pick<ToolProps, 'address'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [code, setCode] = useState({ path: '', size: 0 });
  const show = async (): Promise<void> => {
    const { qrCode, qrPath } = await import('../pictures/qr-code.ts');
    const modules = qrCode(address);
    if (modules !== undefined) setCode({ path: qrPath(modules), size: modules.length });
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class="with-script" onClick={() => void show()}>
        QR code
      </button>
      <dialog ref={dialog} aria-label="QR code of this address" class="qr">
        {code.size > 0 && (
          <svg
            viewBox={`-4 -4 ${code.size + 8} ${code.size + 8}`}
            role="img"
            aria-label={`QR code of ${address}`}
            shape-rendering="crispEdges"
          >
            <rect x="-4" y="-4" width={code.size + 8} height={code.size + 8} class="qr-paper" />
            <path d={code.path} class="qr-ink" />
          </svg>
        )}
        <p class="mono breakable">{address}</p>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}
