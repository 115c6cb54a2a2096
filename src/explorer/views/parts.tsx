import type { ComponentChildren } from 'preact';
import { type SummaryAmount, typeWords } from '../../api/summary/sentence.ts';
import { keptName, type PageContext, shortName } from '../load/page-context.ts';
import { glyphs, type Kind } from '../load/tx-kind.ts';
import { groupDigits, plainAmount, shortId, splitAddress, splitAmount } from '../text/text-format.ts';
import { Part } from './in-parts.tsx';

/** Small parts that all views share. */

/** A kind of transactions, and how many of it. */
export const KindPill = ({ kind: { word, color, glyph }, count }: { kind: Kind; count?: number }) => (
  <span class={`pill fill-bg-${color}`}>
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d={glyphs[glyph]} class="glyph" />
    </svg>
    {count !== undefined && <b>{groupDigits(count)}</b>}
    {word}
  </span>
);

/** An amount: whole digits in ink, fraction and symbol quiet. Never rounded, and not shown until the decimals of its asset are known. */
export function AmountText({
  amount: { amount, type, symbol, denomination, assetId },
  sign = '',
}: {
  amount: SummaryAmount;
  sign?: string;
}) {
  if (denomination === undefined)
    return (
      <span class="amount">
        … <small>{shortId(assetId)}</small>
      </span>
    );
  const decimals = type === 'secp256k1' ? denomination : 0;
  const { whole, fraction } = splitAmount(amount, decimals);
  const word = typeWords[type][amount === '1' ? 0 : 1];
  return (
    <span class="amount" data-amount={sign + plainAmount(amount, decimals)} data-unit={`${symbol || assetId}${word}`}>
      {sign}
      {whole}
      <small>
        {fraction} {symbol || shortId(assetId)}
        {word}
      </small>
    </span>
  );
}

/** An address as a link, shortened, or its name; the whole address is in `title` and `href`. */
export function AddressLink({ address, context, isPlain = true }: { address: string; context: PageContext; isPlain?: boolean }) {
  const name = shortName(context, address);
  const { prefix, short } = splitAddress(address, context.chain.alias);
  const full = `${context.chain.alias}-${address.replace(/^[A-Za-z]+-/, '')}`;
  // The browser adds these names to a page that is shown already: name and address have the place of the address, so that nothing moves.
  if (keptName(context, address) !== undefined)
    return (
      <a class={`mono address named${isPlain ? ' plain' : ''}`} href={`/address/${full}`} title={full}>
        <span class="prefix">{prefix}</span>
        <span class="tail">{short}</span>
        <span class="name">
          <b>{name}</b>
          <small>{short}</small>
        </span>
      </a>
    );
  return (
    <a class={`${name === undefined ? 'mono ' : ''}address${isPlain ? ' plain' : ''}`} href={`/address/${full}`} title={full}>
      {name ?? (
        <>
          <span class="prefix">{prefix}</span>
          {short}
        </>
      )}
    </a>
  );
}

export const TxLink = ({ id }: { id: string }) => (
  <a class="mono" href={`/tx/${id}`} title={id}>
    {shortId(id)}
  </a>
);

export const AssetLink = ({ id, symbol }: { id: string; symbol: string }) => (
  <a class="short" href={`/asset/${id}`} title={id}>
    {symbol || shortId(id)}
  </a>
);

export const BlockLink = ({ height }: { height: number }) => (
  <a class="short" href={`/block/${height}`}>
    {groupDigits(height)}
  </a>
);

/** A button that copies a text. Without script it is not shown. */
export const CopyButton = ({ text, what }: { text: string; what: string }) => (
  <button type="button" class="copy" data-copy={text} aria-label={`Copy ${what}`} title={`Copy ${what}`}>
    <svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true">
      <path d="M4.5 4.5V1h8v7.5H8.7M.8 4.5h7.7V12H.8z" class="glyph" />
    </svg>
  </button>
);

/** Saves the table and the picture with these names: all rows of the table as CSV, the picture as SVG. Works with script only. */
export const SaveMenu = ({ csv, svg }: { csv?: string; svg?: string }) => (
  <details class="menu" name="menu">
    <summary aria-label={`Save ${csv ?? svg}`} title="Save">
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 2v8M5 7.5 8 10.5 11 7.5M3 13h10" class="glyph" />
      </svg>
    </summary>
    <div class="menu-items">
      {csv !== undefined && (
        <button type="button" data-save-csv={csv}>
          All rows as CSV
        </button>
      )}
      {svg !== undefined && (
        <button type="button" data-save-svg={svg}>
          Picture as SVG
        </button>
      )}
    </div>
  </details>
);

/** The link to the next page of a table; all pages are saved when the table is. */
export const NextPage = ({ href, list, children }: { href: string; list: string; children: ComponentChildren }) => (
  <a class="button" href={href} rel="next" data-list={list}>
    {children}
  </a>
);

/** The call behind a page for programs: as curl, as TypeScript, and its JSON. */
export function CopyAs({ origin, path }: { origin: string; path: string }) {
  const url = origin + path;
  return (
    <span class="copy-as">
      <button type="button" class="link" title="Copy as curl" data-copy={`curl -s '${url}'`}>
        curl
      </button>
      <button
        type="button"
        class="link"
        title="Copy as TypeScript"
        data-copy={`const response = await fetch('${url}');\nconst data = await response.json();`}
      >
        TypeScript
      </button>
      <a href={path} title="Open the JSON">
        JSON
      </a>
    </span>
  );
}

export const Key = ({ letter }: { letter: string }) => <kbd>{letter}</kbd>;

type PanelProps = {
  readonly title: ComponentChildren;
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly weight?: PanelWeight;
};

/** How much a panel matters: `answer`: what the page is about. `evidence`: what shows it. `rest`: what few readers need. */
type PanelWeight = 'answer' | 'evidence' | 'rest';

/** A panel with a heading. */
export const Panel = ({ title, side, children, class: name = '', weight = 'evidence' }: PanelProps) => (
  <section class={`panel panel-${weight} ${name}`}>
    <div class="panel-head">
      <h2>{title}</h2>
      {side !== undefined && <div class="panel-side">{side}</div>}
    </div>
    <Part>{children}</Part>
  </section>
);

/** A panel of the rest that is closed at first; it is printed whole. `side`: text only, as the heading opens the panel. */
export const FoldedPanel = ({ title, side, children }: Pick<PanelProps, 'title' | 'side' | 'children'>) => (
  <details class="panel panel-rest">
    <summary class="panel-head">
      <h2>{title}</h2>
      {side !== undefined && <span class="panel-side">{side}</span>}
    </summary>
    <Part>{children}</Part>
  </details>
);

type Fact = { readonly name: string; readonly value: ComponentChildren; readonly note?: ComponentChildren };

/** A row of facts: names above values. */
export const Facts = ({ facts, columns, weight = 'evidence' }: { facts: readonly Fact[]; columns: number; weight?: PanelWeight }) => (
  <dl class={`panel panel-${weight} facts facts-${columns}`}>
    {facts.map(({ name, value, note }) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
        {note !== undefined && <dd class="note">{note}</dd>}
      </div>
    ))}
  </dl>
);

/** The head of a page: title, state, one line, buttons, and the full ID. */
export const PageHead = ({
  title,
  chip,
  line,
  lead,
  buttons,
  id,
  idName,
  more,
}: {
  title: ComponentChildren;
  chip?: ComponentChildren;
  line?: ComponentChildren;
  /** What the page is about, in a sentence. */
  lead?: ComponentChildren;
  buttons?: ComponentChildren;
  id?: string | undefined;
  /** What the ID is of, where the title does not say it. */
  idName?: string;
  more?: ComponentChildren;
}) => (
  <header class="page-head">
    <div class="page-title">
      <h1>{title}</h1>
      {chip}
      {line !== undefined && <p>{line}</p>}
      {buttons !== undefined && <div class="buttons">{buttons}</div>}
    </div>
    {lead}
    {id !== undefined && (
      <p class="page-id mono">
        {idName !== undefined && <span class="id-name">{idName} </span>}
        <span data-id={id}>{id}</span> <CopyButton text={id} what="ID" />
        {more}
      </p>
    )}
  </header>
);

export const Chip = ({ tone, children }: { tone: 'ok' | 'warn' | 'bad' | 'plain'; children: ComponentChildren }) => (
  <span class={`chip ${tone}`}>{children}</span>
);

type SwitchProps<T extends string> = {
  readonly label: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  /** Whether the last choice is still being made: another would be lost. */
  readonly isBusy?: boolean;
  readonly onChange: (value: T) => void;
};

/** A row of buttons of which one is pressed. Works with script only. */
export const Switch = <T extends string>({ label, options, value, isBusy, onChange }: SwitchProps<T>) => (
  <div class="switch" role="group" aria-label={label}>
    {options.map(([key, word]) => (
      <button type="button" aria-pressed={key === value} disabled={isBusy} onClick={() => onChange(key)}>
        {word}
      </button>
    ))}
  </div>
);

export type Scale = 'linear' | 'log';

/** The switch between a linear and a logarithmic scale of a picture. */
export const ScaleSwitch = ({ value, onChange }: Pick<SwitchProps<Scale>, 'value' | 'onChange'>) => (
  <Switch
    label="Scale"
    options={[
      ['linear', 'Linear'],
      ['log', 'Log'],
    ]}
    value={value}
    onChange={onChange}
  />
);

/** A panel for a list without entries. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <svg width="82" height="72" viewBox="0 0 82 72" aria-hidden="true">
      <path d="M.5 .5H72L81.5 10V71.5H.5Z" class="tile-edge" />
    </svg>
    <div>
      <h2>{title}</h2>
      {children}
    </div>
  </div>
);

/** A box that scrolls sideways if its table is too wide; reachable with the keyboard. */
export const Scroll = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
  <div class="scroll" tabIndex={0}>
    {children}
  </div>
);
