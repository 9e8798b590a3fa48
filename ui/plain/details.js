// One operation: its steps as they go, what went wrong in words, and what may be done about it.

import { cancelOperation, retryOperation } from './api.js';
import { byId, keyed, make, setText, stateMark, updateState, when } from './dom.js';

const shownEvents = 200;
const ended = ['succeeded', 'cancelled'];

export class Details {
  constructor(stream) {
    this.stream = stream;
    this.id = '';
    this.events = [];
    this.shownActions = '';
  }

  open(id) {
    this.close();
    this.id = id;
    byId('details').hidden = false;
    for (const part of ['facts', 'steps', 'resources', 'events', 'actions']) byId(part).replaceChildren();
    setText(byId('details-title'), 'Operation');
    setText(byId('details-problem'), '');
    this.stream.follow(`operation/${id}`, {
      events: (events) => this.heard(events),
      view: (view) => this.show(view),
      problem: (problem) => setText(byId('details-problem'), problem.detail),
    }, 0);
    byId('details-title').focus();
  }

  close() {
    if (this.id) this.stream.leave(`operation/${this.id}`);
    this.id = '';
    this.events = [];
    this.shownActions = '';
    byId('details').hidden = true;
  }

  heard(events) {
    this.events = [...events].reverse().concat(this.events).slice(0, shownEvents);
    keyed(byId('events'), this.events, (event) => String(event.sequence), (event) => make('li', {},
      make('time', { class: 'quiet', datetime: event.at }, when(event.at)),
      make('b', {}, ` ${event.step_id ?? 'operation'} ${kindOf(event)}`), ` ${event.message}`), () => {});
  }

  show(view) {
    if (view.id !== this.id) return;
    setText(byId('details-title'), view.summary);
    this.showFacts(view);
    this.showProblem(view.error);
    this.showActions(view);
    keyed(byId('steps'), view.steps, (step) => step.id, makeStep, updateStep);
    keyed(byId('resources'), view.resources.length ? view.resources : [{ name: 'Nothing yet.' }],
      (one) => `${one.type} ${one.name}`, () => make('li'), (item, one) => setText(item, resourceText(one)));
  }

  showFacts(view) {
    const facts = [
      ['State', stateMark(view.state)], ['What', `${view.kind} of ${view.subject}`], ['Started by', view.started_by],
      ['Started', when(view.created_at)], ['Ended', when(view.finished_at)], ['Id', view.id],
    ].filter(([, value]) => value !== '');
    byId('facts').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
  }

  showProblem(error) {
    setText(byId('details-problem'), error ? `${error.message} (${error.code})` : '');
  }

  // Made anew only when they differ: a button must not vanish under a finger.
  showActions(view) {
    const next = (view.next ?? []).filter((one) => one.action !== 'operation_get');
    const mayCancel = !ended.includes(view.state) && !view.cancel_requested;
    const now = JSON.stringify([next, mayCancel]);
    if (now === this.shownActions) return;
    this.shownActions = now;
    const parts = [];
    for (const step of view.steps.filter((one) => one.question)) parts.push(make('p', {}, step.question.text));
    for (const hint of next) {
      const act = actionOf(view.id, hint);
      parts.push(...(act ? [this.button(act)] : [make('p', {}, `${hint.action}: ${hint.why}`)]));
    }
    const stops = next.some((one) => one.action === 'operation_cancel');
    if (mayCancel) parts.push(this.button(stopAct(view.id)));
    if (mayCancel && !stops) parts.push(this.button(removeAct(view.id, 'Stop and remove what it made')));
    byId('actions').replaceChildren(...parts);
  }

  button(act) {
    const button = make('button', { type: 'button', title: act.why }, act.label);
    button.onclick = async () => {
      if (!await confirmed(act)) return;
      button.disabled = true;
      try {
        await act.run();
        setText(byId('details-problem'), '');
      } catch (problem) {
        setText(byId('details-problem'), problem.message);
      }
      button.disabled = false;
    };
    return button;
  }
}

function actionOf(id, hint) {
  const { operation_id: about, ...more } = hint.arguments;
  if (about !== id) return null;
  if (hint.action === 'operation_cancel') return removeAct(id, hint.why);
  if (hint.action !== 'operation_retry') return null;
  const label = more.choice ? `Answer: ${more.choice}` : more.step_id ? `Try ${more.step_id} again` : 'Try again';
  return { label, why: hint.why, danger: false, run: () => retryOperation(id, more) };
}

const stopAct = (id) => ({
  label: 'Stop', danger: true, why: 'It stops after the call that runs now. What it made stays.',
  run: () => cancelOperation(id, false),
});

const removeAct = (id, label) => ({
  label, danger: true, why: 'It stops, and what this operation made is removed, last first.',
  run: () => cancelOperation(id, true),
});

function confirmed(act) {
  const dialog = byId('confirm');
  setText(byId('confirm-title'), act.danger ? 'Stop this operation?' : 'Let it go on?');
  setText(byId('confirm-text'), act.why);
  setText(byId('confirm-yes'), act.label);
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
  });
}

// "step_look_failed" is "look failed": what it happened to stands beside it.
const kindOf = (event) => event.kind.replace(/^(step|operation)_/, '').replaceAll('_', ' ');

function makeStep(step) {
  return make('li', {}, make('span'), stateMark(step.state), make('p', { class: 'quiet' }), make('p', { class: 'problem' }));
}

function updateStep(item, step) {
  const [title, state, progress, problem] = item.children;
  setText(title, step.title);
  updateState(state, step.state);
  const held = step.state === 'done' && step.acts === 0 ? 'It held already.' : '';
  setText(progress, step.progress ?? (held || when(step.finished_at)));
  setText(problem, step.error ? step.error.message : '');
}

function resourceText(resource) {
  if (!resource.type) return resource.name;
  const state = { owed: 'may exist', owned: 'exists', removed: 'removed' }[resource.state] ?? resource.state;
  return `${resource.type} ${resource.name}: ${state}${resource.reason ? `, ${resource.reason}` : ''}`;
}
