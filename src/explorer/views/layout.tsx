import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type DevState, faultText, miningText } from '../load/dev-state.ts';
import type { FollowState } from '../load/follow-state.ts';
import type { PageContext } from '../load/page-context.ts';
import { isUndoName, type UndoPoint } from '../load/undo-point.ts';
import { groupDigits, plural, shortId, spanText, timeText } from '../text/text-format.ts';
import { zonedText, zoneName } from '../text/zone-time.ts';
import { useDevCall } from './actions.ts';
import { UndoStrip } from './dev-undo-strip.tsx';
import { FollowStrip } from './follow-strip.tsx';
import { Mark, PaletteGlyph, SearchGlyph, ThemeButton } from './frame-parts.tsx';
import { type RevertNote, useLive } from './live.ts';
import { Key } from './parts.tsx';
import { type Section, sections } from './sections.ts';

export type Frame = {
  /** Undefined: a page that is in no section. */
  readonly section: Section | undefined;
  readonly context: PageContext;
  /** Height of the last block when the page was made; undefined if it could not be read. */
  readonly height: number | undefined;
  readonly dev: DevState | undefined;
  readonly follow: FollowState | undefined;
  readonly query: string;
};

/** The frame of every page: search, navigation, the strip of a dev chain, footer. */
export function Layout({ frame, children }: { frame: Frame; children: ComponentChildren }) {
  const { section, context, dev, height } = frame;
  const live = useLive();
  const tip = live?.blocks[0]?.height ?? height;
  return (
    <>
      {useMemo(
        () => (
          <TopBar frame={frame} />
        ),
        [frame],
      )}
      {dev !== undefined && context.has.explorer && <DevStrip dev={dev} isPanel={section === 'dev'} context={context} />}
      {frame.follow !== undefined && <FollowStrip follow={frame.follow} height={height ?? 0} url={context.followedUrl} />}
      <StateStrip height={height} dev={dev} />
      <main id="main" class={live?.status === 'lost' ? 'stale' : ''}>
        {children}
      </main>
      <footer class="foot">
        <span>Serac {context.version}</span>
        <span>
          {context.chain.title} <span class="mono">{shortId(context.chain.id)}</span>
        </span>
        <button type="button" class="link" data-zone-button title="Change between UTC and your time zone">
          {`Times in ${zoneName()}`}
        </button>
        <span class="foot-right">{tip === undefined ? '' : `as of block ${groupDigits(tip)}`}</span>
      </footer>
    </>
  );
}

/** Brand, search and navigation. They change only when the page is loaded again, not with every event. */
const TopBar = ({ frame: { section, context, dev, query } }: { frame: Frame }) => (
  <>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <header class="top-bar">
      <div class="bar">
        <a class="brand" href={context.has.explorer ? '/' : '/api'} aria-label="Serac, home">
          <Mark /> <span class="brand-name">Serac</span>
        </a>
        <span class="network">
          {context.network.name} <small>{context.network.id}</small>
        </span>
        <search>
          {context.has.explorer && (
            <form class="search" action="/search" method="get">
              <SearchGlyph />
              <input
                name="q"
                type="search"
                value={query}
                placeholder="Height, transaction, address, asset, UTXO or hex"
                aria-label="Search: height, transaction, block, address, asset, UTXO or hex"
                autocomplete="off"
                spellcheck={false}
                maxLength={262_144}
              />
              <Key letter="/" />
            </form>
          )}
        </search>
        <button
          type="button"
          class="palette-button"
          data-palette-button
          title="Go to a page or an address, or do something"
          aria-keyshortcuts="Control+K Meta+K"
        >
          <PaletteGlyph />
          <span class="palette-word">Commands</span> <Key letter="Ctrl K" />
        </button>
        <LiveDot />
        <ThemeButton />
      </div>
      <nav class="bar nav" aria-label="Pages">
        {sections
          .filter(
            ({ isAvailable, name, isPageOnly }) =>
              context.has.explorer && isAvailable(context) && (name !== 'dev' || dev !== undefined || context.has.devToken) && !isPageOnly,
          )
          .map(({ name, word, path, key }) => (
            <a href={path} aria-current={name === section ? 'page' : undefined} data-go={key}>
              {word}
            </a>
          ))}
        <span class="nav-right">
          <a href="/api" aria-current={section === undefined ? 'page' : undefined}>
            API
          </a>
          <a href="/docs/">Docs</a>
          <button type="button" class="link" data-keys-button>
            Shortcuts <Key letter="?" />
          </button>
        </span>
      </nav>
    </header>
  </>
);

function LiveDot() {
  const live = useLive();
  if (live === undefined) return <span class="stream-state" />;
  const word = { live: 'live', connecting: 'connecting', lost: 'not live' }[live.status];
  return <span class={`stream-state ${live.status}`}>{word}</span>;
}

function DevStrip({ dev, isPanel, context }: { dev: DevState; isPanel: boolean; context: PageContext }) {
  const { run, runAll, note, isBusy } = useDevCall();
  const latest = dev.snapshots.at(-1);
  return (
    <section class="strip" aria-label="Dev chain">
      <div class="bar">
        <b class="strip-name">Dev chain</b>
        <span>
          <span class="wide-only">Clock </span>
          {dev.isFrozen && <b>frozen </b>}
          {isShifted(dev) && <b>{`${dev.offset > 0 ? '+' : '−'}${spanText(Math.abs(dev.offset))}`} </b>}
          <span class="quiet">
            <time data-clock data-time={dev.time} data-form="full">
              {zonedText(dev.time, 'full')}
            </time>
          </span>
        </span>
        <span class="wide-only">{miningText(dev)}</span>
        {latest !== undefined && (
          <span class="wide-only">
            Snapshot <b>“{latest.name}”</b> <span class="quiet">taken at block {groupDigits(latest.height)}</span>
          </span>
        )}
        {dev.faults.length > 0 && (
          <span class="strip-faults">
            <b>{plural(dev.faults.length, 'fault')}</b> {dev.faults.slice(0, 1).map(faultText)}
            {!isPanel && (
              <>
                {' '}
                <a href="/dev">End it</a>
              </>
            )}
          </span>
        )}
        {note?.isError && <span class="bad-text">{note.text}</span>}
        {/* Also on the server, so that nothing moves when the script is ready. */}
        <span class="buttons with-script">
          {latest !== undefined && !isPanel && (
            <button
              type="button"
              disabled={isBusy}
              onClick={() => runAll(async (actions) => (await import('./dev-undo.ts')).revertFromStrip(actions, latest, context))}
            >
              Revert
            </button>
          )}
          <button type="button" disabled={isBusy} onClick={() => run('dev.mine', { blocks: 1 }, () => '')}>
            Mine 1
          </button>
        </span>
      </div>
    </section>
  );
}

/** A frozen clock falls behind by itself: a minute of that is not worth a word. */
const isShifted = ({ offset, isFrozen }: DevState): boolean => (isFrozen ? Math.abs(offset) >= 60 : offset !== 0);

/** Says that the chain was reverted or that the stream is lost. The only live region of the page. */
function StateStrip({ height, dev }: { height: number | undefined; dev: DevState | undefined }) {
  const live = useLive();
  const { undo, snapshots = [] } = dev ?? {};
  const isUndoable = undo !== undefined && live?.reverted !== undefined && isOfUndo(undo, live.reverted);
  return (
    <div role="status">
      {live?.status === 'lost' && (
        <div class="strip warn">
          <div class="bar">
            <b>Not live</b>
            <span>
              No answer since {timeText(live.lostAt ?? live.now)}
              {height !== undefined && `. Shown: block ${groupDigits(live.blocks[0]?.height ?? height)}`}. It is tried again every second.
            </span>
          </div>
        </div>
      )}
      {undo !== undefined && (
        <UndoStrip
          key={undo.name}
          undo={undo}
          height={live?.blocks[0]?.height ?? height ?? 0}
          gone={isUndoable && undo.kind === 'revert' ? goneText(live.reverted) : ''}
          onEnd={() => live?.closeReverted()}
        />
      )}
      {live?.reverted !== undefined && !isUndoable && (
        <div class="strip">
          <div class="bar">
            <RevertText
              note={live.reverted}
              isReorg={live.reverted.snapshot === reorgName && !snapshots.some(({ name }) => name === reorgName)}
            />
            <button type="button" class="icon strip-close" aria-label="Close" title="Close" onClick={live.closeReverted}>
              <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
                <path d="M2 2l8 8M10 2l-8 8" class="glyph" />
              </svg>
            </button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Whether a revert is the one that the page can undo. */
const isOfUndo = ({ kind, to }: UndoPoint, { height, snapshot }: RevertNote): boolean =>
  !isUndoName(snapshot) && (kind === 'revert' ? height === to : kind === 'load' || snapshot === kind);

/** What an event has in place of the name of a snapshot when blocks were replaced by others. */
const reorgName = 'reorg';

/** `Reverted to before, block 7. 93 blocks and 6,020 transactions are gone.` or `Reorg: 5 blocks above block 7 were replaced.` */
const RevertText = ({ note, isReorg }: { note: RevertNote; isReorg: boolean }) =>
  isUndoName(note.snapshot) ? (
    <>
      <b class="strip-name">Undone</b>
      <span class="strip-note">The chain is at block {groupDigits(note.height)} again.</span>
    </>
  ) : isReorg ? (
    <>
      <b class="strip-name">Reorg</b>
      <span class="strip-note">
        {note.blocks === 0 ? 'Blocks' : plural(note.blocks, 'block')} above block {groupDigits(note.height)}{' '}
        {note.blocks === 1 ? 'was' : 'were'} replaced by others.
      </span>
    </>
  ) : (
    <>
      <b class="strip-name">Reverted</b>
      <span class="strip-note">
        {note.snapshot !== undefined && (
          <>
            to <b>{note.snapshot}</b>,{' '}
          </>
        )}
        block {groupDigits(note.height)}. {goneText(note)}
      </span>
    </>
  );

/** `93 blocks and 6,020 transactions are gone.` */
function goneText({ blocks, txs }: RevertNote): string {
  if (blocks === 0) return 'What was above it is gone.';
  if (txs === undefined) return `${plural(blocks, 'block')} above it ${blocks === 1 ? 'is' : 'are'} gone.`;
  return `${plural(blocks, 'block')} and ${plural(txs, 'transaction')} are gone.`;
}
