import type { AssetLabel } from './render-asset.ts';

/** The JSON of a label without its closing brace. Labels are cached, so their texts are too. */
export function labelStart(label: AssetLabel): string {
  const cached = labelStarts.get(label);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(label).slice(0, -1);
  labelStarts.set(label, text);
  return text;
}

const labelStarts = new WeakMap<AssetLabel, string>();
