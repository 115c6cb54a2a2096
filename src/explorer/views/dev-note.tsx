/** What the last call of a form did, or why it failed. */
export const FormNote = ({ note }: { note: { readonly text: string; readonly isError: boolean } | undefined }) => (
  <p class={`form-note ${note?.isError ? 'bad-text' : ''}`} role="status">
    {note?.text ?? ''}
  </p>
);
