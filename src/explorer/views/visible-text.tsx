import { visibleParts } from '../text/visible-text.ts';

/** Text from elsewhere: characters that cannot be seen, or that would turn what follows them, are shown by their number. */
export const VisibleText = ({ text }: { text: string }) => (
  <>{visibleParts(text).map((part, at) => (at % 2 === 1 ? <span class="chip plain">{part}</span> : part))}</>
);

/** A sentence in which code stands between backticks. */
export const CodeSentence = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code class="mono">{part}</code> : <VisibleText text={part} />))}</>
);
