import { html } from 'htm/preact';
import type { LeftOutReason, UploadPlan } from '../../upload/chosen-files.ts';
import type { DroppedFiles } from '../../upload/dropped-files.ts';
import type { ExistingFile } from '../../upload/existing-keys.ts';
import { Dialog } from '../components/dialogs.ts';
import { texts } from './texts.ts';

export interface UploadReview {
  folder: string;
  plan: UploadPlan;
  existing: readonly ExistingFile[];
  /** What walking the folders left out. */
  walk: Pick<DroppedFiles, 'tooDeep' | 'isCut' | 'unreadable'>;
}

/** What becomes of the files whose names are taken. */
export type ExistingChoice = 'skip' | 'replace_different' | 'replace';

/** Whether there is anything to say before the upload starts. */
export function needsReview({ plan, existing, walk }: UploadReview): boolean {
  const isOdd = walk.isCut || walk.tooDeep.length > 0 || walk.unreadable.length > 0;
  return existing.length > 0 || plan.leftOut.length > 0 || plan.renamed.length > 0 || isOdd || plan.files.length === 0;
}

interface ReviewProps {
  review: UploadReview;
  onChoose: (choice: ExistingChoice) => void;
  onCancel: () => void;
}

/** Nothing is replaced, renamed or left out unseen. */
export function ReviewDialog({ review, onChoose, onCancel }: ReviewProps) {
  const { plan, existing, folder } = review;
  const same = existing.filter(({ isSame }) => isSame).length;
  const others = plan.files.length - existing.length;
  return html`<${Dialog} title=${texts.review} onClose=${onCancel}>
    ${plan.files.length === 0 ? html`<p>${texts.nothingChosen}</p>` : html`<p>${texts.planned(plan.files.length, plan.bytes, folder)}</p>`}
    <ul class="notes">${notesOf(review).map((note) => html`<li key=${note}>${note}</li>`)}</ul>
    ${
      existing.length > 0 &&
      html`<p>${texts.existing(existing.length)} ${texts.existingSame(same)}</p>
        <ul class="notes">${existing.slice(0, 5).map(({ key }) => html`<li key=${key} class="path">${key}</li>`)}</ul>`
    }
    <div class="actions">
      ${plan.files.length > 0 && existing.length === 0 && html`<button type="button" class="button" onClick=${() => onChoose('skip')}>${texts.start}</button>`}
      ${existing.length > 0 && others > 0 && html`<button type="button" class="button" onClick=${() => onChoose('skip')}>${texts.skipExisting}</button>`}
      ${existing.length > same && same > 0 && html`<button type="button" class="button second" onClick=${() => onChoose('replace_different')}>${texts.skipSame}</button>`}
      ${existing.length > 0 && html`<button type="button" class="button second" onClick=${() => onChoose('replace')}>${texts.overwrite}</button>`}
      <button type="button" class="button second" onClick=${onCancel}>${texts.cancel}</button>
    </div>
  <//>`;
}

function notesOf({ plan, walk }: UploadReview): string[] {
  const byReason = Map.groupBy(plan.leftOut, ({ reason }) => reason);
  const [firstRenamed] = plan.renamed;
  return [
    ...Array.from(byReason, ([reason, paths]: [LeftOutReason, { path: string }[]]) =>
      texts.leftOut(reason, paths.length, paths[0]?.path ?? ''),
    ),
    firstRenamed === undefined ? '' : texts.renamed(plan.renamed.length, firstRenamed.key),
    walk.isCut ? texts.isCut(plan.files.length) : '',
    walk.tooDeep.length === 0 ? '' : texts.tooDeep(walk.tooDeep.length),
    walk.unreadable.length === 0 ? '' : texts.unreadable(walk.unreadable.length),
  ].filter((note) => note !== '');
}

/** The files that go up, each with whether it may take another's place. */
export function chosenOf({ plan, existing }: UploadReview, choice: ExistingChoice) {
  const there = new Map(existing.map((file) => [file.key, file]));
  return plan.files
    .filter(({ key }) => {
      const taken = there.get(key);
      if (taken === undefined || choice === 'replace') return true;
      return choice === 'replace_different' && !taken.isSame;
    })
    .map(({ key, file }) => ({ key, file, overwrites: there.has(key) }));
}
