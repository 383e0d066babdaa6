import { useEffect, useState } from 'preact/hooks';
import { type ChosenFile, filesOfInput } from '../../upload/chosen-files.ts';
import { type Dropped, takeDropped } from '../../upload/dropped-files.ts';

interface ChooseProps {
  folder: string;
  onFiles: (files: ChosenFile[]) => void;
  onDropped: (dropped: Dropped[]) => void;
}

/** Shows two buttons, to choose files or a folder, and accepts files that the user drops anywhere on the page. */
export function ChooseFiles({ folder, onFiles, onDropped }: ChooseProps) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      // By default, the browser would leave the page and show the dropped file.
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (event.dataTransfer === null || !event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      setIsOver(false);
      void takeDropped(event.dataTransfer.items).then(onDropped);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [onDropped]);
  const take = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const files = filesOfInput(input.files ?? []);
    // Clear the value of the input, because otherwise the browser sends no `change` event when the user chooses the
    // same file again.
    input.value = '';
    onFiles(files);
  };
  return (
    <div class={isOver ? 'choose over' : 'choose'}>
      <label class="button">
        Upload files
        <input class="unseen" type="file" multiple onChange={take} />
      </label>
      <label class="button second">
        Upload folder
        <input class="unseen" type="file" {...{ webkitdirectory: true }} onChange={take} />
      </label>
      <span class="soft hint">
        {isOver ? `Drop to upload to ${folder || 'the top folder'}` : 'or drop files and folders anywhere on this page'}
      </span>
    </div>
  );
}
