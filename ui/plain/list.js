// The list of operations, newest first. Events say which have moved; those are read anew, one after the other.

import { getOperation, listOperations } from './api.js';
import { byId, keyed, make, setAttribute, setText, stateMark, updateState, when } from './dom.js';

const gather = 150;  // Milliseconds in which news of one operation count as one.

const summaryOf = (view) => ({
  ...view,
  steps_done: view.steps.filter((step) => step.state === 'done').length,
  steps_total: view.steps.length,
  progress: view.steps.find((step) => step.progress)?.progress ?? '',
});

const ended = ['succeeded', 'failed', 'cancelled'];

export class OperationList {
  constructor(choose) {
    this.choose = choose;
    this.operations = new Map();
    this.chosen = '';
    this.older = null;
    this.moved = new Set();
    this.reading = false;
    byId('older').onclick = () => this.load(this.older);
    byId('list').onkeydown = (event) => this.move(event);
  }

  clear() {
    this.operations.clear();
    this.moved.clear();
    this.older = null;
    this.show();
  }

  async load(cursor) {
    await this.reportingProblems(async () => {
      const page = await listOperations(cursor);
      for (const operation of page.operations) {
        this.operations.set(operation.id, operation);
        // A line of a list doesn't say what its steps wait for.
        if (!ended.includes(operation.state)) this.moved.add(operation.id);
      }
      this.older = page.next_cursor ?? null;
    });
    this.show();
    this.readMoved();
  }

  heard(events) {
    for (const event of events) this.moved.add(event.operation_id);
    this.readMoved();
  }

  async readMoved() {
    if (this.reading || this.moved.size === 0) return;
    this.reading = true;
    await new Promise((resolve) => setTimeout(resolve, gather));
    while (this.moved.size > 0) {
      const [id] = this.moved;
      this.moved.delete(id);
      await this.reportingProblems(async () => this.operations.set(id, summaryOf(await getOperation(id))));
      this.show();
    }
    this.reading = false;
  }

  async reportingProblems(work) {
    try {
      await work();
      setText(byId('overview-problem'), '');
    } catch (problem) {
      setText(byId('overview-problem'), problem.message);
    }
  }

  mark(id) {
    this.chosen = id;
    this.show();
  }

  show() {
    const sorted = [...this.operations.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    byId('nothing').hidden = sorted.length > 0;
    byId('older').hidden = this.older === null;
    keyed(byId('list'), sorted, (one) => one.id, (one) => this.makeRow(one), (row, one) => this.updateRow(row, one));
  }

  makeRow(operation) {
    const button = make('button', { type: 'button' }, make('span'), stateMark(operation.state),
      make('span', { class: 'quiet' }), make('span', { class: 'quiet' }), make('span', { class: 'quiet doing' }), make('progress'));
    button.onclick = () => this.choose(operation.id);
    return make('li', {}, button);
  }

  updateRow(row, operation) {
    const button = row.firstElementChild;
    const [summary, state, subject, steps, doing, progress] = button.children;
    setAttribute(button, 'aria-current', String(operation.id === this.chosen));
    setText(summary, operation.summary);
    updateState(state, operation.state);
    setText(subject, `${operation.subject} · ${when(operation.created_at)}`);
    setText(steps, `${operation.steps_done} of ${operation.steps_total} steps`);
    setText(doing, operation.progress ?? '');
    setAttribute(progress, 'max', String(Math.max(1, operation.steps_total)));
    setAttribute(progress, 'value', String(operation.steps_done));
    setAttribute(progress, 'aria-label', 'Steps done');
  }

  move(event) {
    const buttons = [...byId('list').querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined || !buttons[to]) return;
    event.preventDefault();
    buttons[to].focus();
  }
}
