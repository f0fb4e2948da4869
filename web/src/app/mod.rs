//! The page as a whole: state, keys, frames, address.

mod grant;
mod handle;
mod host;
mod listen;
mod searcher;
mod shooting;

use std::cell::RefCell;
use std::rc::Rc;

use barrierscope_core::scenario::votes::VOTES_COOPERATIVE;
use barrierscope_core::scenario::{Scenario, ScenarioError, Story as AnyStory};
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{Element, MediaQueryList, MessageEvent};
use yew::{AttrValue, Callback, Component, Context, Html, KeyboardEvent, classes, html};

use crate::address::{Address, Theme};
use crate::browser;
use crate::components::account::AccountBar;
use crate::components::case_bar::CaseBar;
use crate::components::checkpoints::Checkpoints;
use crate::components::claims::Claims;
use crate::components::compare::Compare;
use crate::components::editor::Editor;
use crate::components::embed_bar::EmbedBar;
use crate::components::fault_matrix::FaultMatrix;
use crate::components::gallery::Gallery;
use crate::components::guarantees::Guarantees;
use crate::components::help::Help;
use crate::components::inspector::Inspector;
use crate::components::knob::Refused;
use crate::components::knobs::Knobs;
use crate::components::lesson_bar::{LessonBar, Stage as LessonStage};
use crate::components::lessons::Lessons;
use crate::components::notice::notice;
use crate::components::properties::PropertiesBar;
use crate::components::search::Search;
use crate::components::share::Share;
use crate::components::story::Story;
use crate::components::top_bar::TopBar;
use crate::components::transport::Transport;
use crate::export::trace::Way;
use crate::export::wish::Wish;
use crate::panic;
use crate::remember::{self, Memory};
use crate::same::Same;
use crate::spacetime::SpaceTime;
use crate::stage::Stage;
use crate::stage::canvas::Canvas;
use crate::stage::paint::Palette;
use crate::state::claims;
use crate::state::search::Deed;
use crate::state::{Action, Along, Model, Page, Run, SPEEDS, Sight};
use crate::text::{self, Label, Lang, label};
use handle::expose;
use host::{Asked, Host};
use listen::listen;
use searcher::Searcher;
use shooting::Shooting;

/// What the page hears of.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and none is kept; where pointers have 32 bits it is small"
)]
pub enum Message {
    /// Something was asked for.
    Act(Action),
    /// A key was pressed.
    Key(KeyboardEvent),
    /// The browser is ready for another frame.
    Frame(f64),
    /// Another frame is needed.
    Wake,
    /// The address was changed by hand.
    Address,
    /// The theme of the system, or what it says of movement, has changed.
    Preferences,
    /// Something is being dragged over the page, or no longer.
    Dragging(bool),
    /// There is time to measure something for the comparison.
    Measure,
    /// The page in which this one is a frame says something.
    Host(MessageEvent),
    /// Something is to be saved or copied.
    Wish(Wish),
    /// A picture for a film was taken: its pixels, if it could be.
    Shot(Option<Vec<u8>>),
    /// The page was changed from outside.
    Refresh,
}

/// The page.
pub struct App {
    page: Rc<RefCell<Page>>,
    /// The language that the browser asks for: the address need not say it.
    browser_lang: Lang,
    /// What the stage is drawn on.
    canvas: Canvas,
    /// What those are drawn on that stand side by side.
    beside: Vec<Canvas>,
    palette: Option<Palette>,
    /// Where what is asked for goes. What has not changed is not drawn anew: so these stay the same ones.
    on: Callback<Action>,
    wish: Callback<Wish>,
    awake: Callback<()>,
    /// The names of the scenarios that the program offers by itself.
    offered: Vec<String>,
    on_frame: Closure<dyn FnMut(f64)>,
    is_frame_due: bool,
    /// The wall time of the last frame, while frames follow each other.
    last_frame: Option<f64>,
    /// When the address was written last, in wall time.
    written: f64,
    /// Something was done that can be taken back: the browser's way back leads to the state before.
    is_elsewhere: bool,
    /// So often the browser's way back stays on this page.
    ways_back: usize,
    /// What the middle of the page shows is another thing than before: one looks at it from its top.
    is_anew: bool,
    is_dragging: bool,
    is_marked: bool,
    /// What the browser has kept last.
    kept: Memory,
    /// The run whose scenario is put aside, for whatever may go wrong.
    aside: Option<Rc<Run>>,
    /// The page in which this one is a frame, if it is one.
    host: Option<Host>,
    /// The film that is being made, if one is.
    shooting: Option<Shooting>,
    /// What measures next for the comparison.
    next_measurement: Option<Timeout>,
    /// What searches, while a search is under way.
    searcher: Option<Searcher>,
    _listeners: Vec<EventListener>,
    _preferences: Vec<MediaQueryList>,
    _handle: Vec<Closure<dyn FnMut(JsValue) -> JsValue>>,
}

/// Below this width the settings cover the page.
const NARROW: f64 = 760.0;
/// Above this width the knobs are shown from the start.
const ROOMY: f64 = 1180.0;
/// So often the address follows while time passes, in milliseconds.
const WRITE_EVERY: f64 = 1_000.0;
/// More runs than this do not stand side by side.
const MOST_BESIDE: usize = 3;
/// A frame never takes more time than this, however long the page was in the background.
const LONGEST_FRAME: f64 = 100.0;
const REDUCED_MOTION: &str = "(prefers-reduced-motion: reduce)";
const DARK: &str = "(prefers-color-scheme: dark)";

impl Component for App {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let browser_lang = browser::language();
        let fragment = browser::fragment();
        let host = Host::find();
        let memory = if host.is_none() {
            remember::recall()
        } else {
            None
        };
        let mut page = match begin(&fragment, browser_lang, memory) {
            Ok(page) => page,
            Err(error) => panic!("the default story is broken: {error}"),
        };
        let is_reduced = browser::prefers(REDUCED_MOTION);
        // An address that names a step asks to look at it; without one the story runs.
        let is_at_step = Address::read(&fragment).0.step.is_some();
        // Nobody sees time pass behind what is about no run.
        let is_seen = page.sight.has_time() && page.sight != Sight::FaultMatrix;
        page.playing = !is_reduced && !is_at_step && is_seen;
        page.knobs = browser::window_size().0 >= ROOMY && host.is_none();
        if host.is_some() {
            // There is nothing but the stage.
            page.sight = Sight::Watch;
        }
        let page = Rc::new(RefCell::new(page));
        let canvas = Canvas::default();
        let beside = (0..MOST_BESIDE).map(|_| Canvas::default()).collect();

        let link = ctx.link().clone();
        let on_frame = Closure::new(move |time| link.send_message(Message::Frame(time)));
        let (mut listeners, preferences) = listen(ctx);
        if host.is_some() {
            listeners.extend(host::listen(ctx));
        }
        let app = Self {
            browser_lang,
            canvas,
            beside,
            palette: None,
            on: ctx.link().callback(Message::Act),
            wish: ctx.link().callback(Message::Wish),
            awake: ctx.link().callback(|()| Message::Wake),
            offered: offered(),
            on_frame,
            is_frame_due: false,
            last_frame: None,
            written: 0.0,
            is_elsewhere: false,
            ways_back: 0,
            is_anew: false,
            is_dragging: false,
            is_marked: false,
            shooting: None,
            host,
            kept: Memory::default(),
            aside: None,
            next_measurement: None,
            searcher: None,
            _listeners: listeners,
            _preferences: preferences,
            _handle: expose(ctx, &page),
            page,
        };
        app.dress();
        app.reduce();
        app
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        match message {
            Message::Act(action) => {
                let changed = self.act(action);
                self.search();
                changed
            }
            Message::Key(event) => {
                let action = self.action_of(&event);
                action.is_some_and(|action| {
                    event.prevent_default();
                    self.act(action)
                })
            }
            Message::Frame(time) => self.frame(time),
            Message::Wake => {
                self.wake();
                false
            }
            Message::Address => {
                self.ways_back = self.ways_back.saturating_sub(1);
                let fragment = browser::fragment();
                let action = match Address::read(&fragment) {
                    (address, trouble) if trouble.is_empty() => Action::Address(address),
                    (address, trouble) => Action::BadAddress(address, trouble),
                };
                self.act(action)
            }
            Message::Preferences => {
                self.palette = None;
                self.reduce();
                self.wake();
                false
            }
            Message::Dragging(is_dragging) => {
                let changed = self.is_dragging != is_dragging;
                self.is_dragging = is_dragging;
                changed
            }
            Message::Measure => {
                self.next_measurement = None;
                self.page.borrow_mut().measure_next()
            }
            Message::Host(event) => self.hear_host(&event),
            Message::Wish(wish) => self.grant(ctx, wish),
            Message::Shot(pixels) => self.add_frame(ctx, pixels),
            Message::Refresh => {
                self.wake();
                true
            }
        }
    }

    fn view(&self, _: &Context<Self>) -> Html {
        if self.host.is_some() {
            return self.embedded();
        }
        let page = self.page.borrow();
        let on = self.on.clone();
        let (view, lang) = (&page.view, page.lang);
        let refused = page.refused().map(|(field, reason)| Refused {
            field: field.clone(),
            reason: reason.to_owned().into(),
        });
        let (name, guarantee, cooperative) = view.run.with(|session| {
            let story = session.story();
            let protocol = story.votes().map(|scenario| &scenario.protocol);
            let cooperative = protocol.map(|protocol| protocol.cooperative_termination);
            let guarantee = (story.pipeline()).and_then(Scenario::delivery_guarantee);
            // The bar of a lesson says what it is about.
            let name = match view.run.task() {
                Some(_) => String::new(),
                None => text::scenario(lang, story.name()),
            };
            (name, guarantee, cooperative)
        });
        let other = self.other(&page);
        let is_charted = page.sight == Sight::Watch && page.spacetime.is_some();
        let is_lesson = page.sight == Sight::Watch && view.run.task().is_some();
        html! {
            <div
                class={classes!("app", format!("in-{}", page.sight.code()), page.knobs.then_some("with-knobs"), is_charted.then_some("with-spacetime"), is_lesson.then_some("in-lesson"))}
                data-testid="app"
                data-playing={page.playing.to_string()}
            >
                <TopBar
                    {lang}
                    theme={page.theme}
                    scenario={name}
                    {other}
                    model={view.run.model()}
                    report={view.run.report()}
                    sight={page.sight}
                    {guarantee}
                    {cooperative}
                    knobs={page.knobs}
                    can_undo={page.can_undo()}
                    on={on.clone()}
                />
                <main class="middle">
                    if page.knobs {
                        <Knobs view={Rc::clone(view)} {lang} {refused} on={on.clone()} />
                    }
                    if let Some(reported) = view.run.report().filter(|_| page.sight != Sight::Gallery) {
                        <CaseBar
                            {reported}
                            gallery={Same(Rc::clone(&page.gallery))}
                            {lang}
                            on={on.clone()}
                        />
                    }
                    if let Some(task) = view.run.task().filter(|_| page.sight == Sight::Watch) {
                        <LessonBar
                            {task}
                            stage={LessonStage::of(&page, task)}
                            {lang}
                            on={on.clone()}
                        />
                    }
                    { self.sight(&page) }
                    if let Some(axis) = page.spacetime.filter(|_| page.sight == Sight::Watch) {
                        <SpaceTime
                            view={Rc::clone(view)}
                            limit={page.limit()}
                            {axis}
                            {lang}
                            theme={page.theme}
                            on={on.clone()}
                        />
                    }
                    <Inspector
                        view={Rc::clone(view)}
                        {lang}
                        inspected={page.inspected}
                        is_selected={page.selected.is_some()}
                        playing={page.playing}
                        life={page.life.as_ref().map(|life| Same(Rc::clone(life)))}
                        on={on.clone()}
                    />
                </main>
                <Story
                    view={Rc::clone(&page.told)}
                    {lang}
                    playing={page.playing}
                    is_first={page.sight == Sight::Compare}
                />
                <Transport
                    view={Rc::clone(view)}
                    runs={page.runs.iter().map(|run| Same(Rc::clone(run))).collect::<Vec<_>>()}
                    limit={page.limit()}
                    {lang}
                    playing={page.playing}
                    speed={page.speed}
                    charted={(page.sight == Sight::Watch).then_some(page.spacetime.is_some())}
                    on={on.clone()}
                />
                if view.run.model() == Model::Votes {
                    <PropertiesBar view={Rc::clone(view)} {lang} on={on.clone()} />
                } else {
                    <AccountBar view={Rc::clone(view)} {lang} on={on.clone()} />
                }
                if let (Some(told), None) = (&page.notice, page.refused()) {
                    { notice(told, lang, &on) }
                }
                if page.help {
                    <Help model={view.run.model()} {lang} on={on.clone()} />
                }
                if let Some(sharing) = page.sharing {
                    <Share
                        {lang}
                        step={view.step}
                        last={view.last}
                        link={self.link_of(&page)}
                        frame={self.frame_of(&page)}
                        has_stage={page.sight == Sight::Watch}
                        {sharing}
                        on={on.clone()}
                        wish={self.wish.clone()}
                    />
                }
                if self.is_dragging {
                    <div class="drop-here">{ label(lang, Label::DropHere) }</div>
                }
            </div>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first: bool) {
        if first {
            self.wake();
        }
        self.measure(ctx);
        self.take_frame(ctx);
        if std::mem::take(&mut self.is_anew) {
            browser::scroll_to_top(".middle");
        }
        let page = self.page.borrow();
        if let Some(host) = &mut self.host {
            if first {
                host.announce();
            }
            host.tell(&page);
        }
        if let Some(root) = browser::root() {
            // A page whose step cannot be written down is still a page.
            let _ = root.dataset().set("step", &page.view.step.to_string());
        }
        put_aside(&page, &mut self.aside);
        let time = browser::wall_time();
        if !page.playing || self.is_elsewhere || time - self.written > WRITE_EVERY {
            self.written = time;
            if self.host.is_none() {
                let memory = Memory::of(&page, self.browser_lang);
                if memory != self.kept {
                    remember::keep(&memory);
                    self.kept = memory;
                }
            }
            let fragment = page.address(self.browser_lang).write();
            let is_elsewhere = std::mem::take(&mut self.is_elsewhere);
            // An entry with the same address would lead nowhere.
            // In a frame, the way back is that of the page around it.
            if is_elsewhere
                && self.host.is_none()
                && browser::fragment().trim_start_matches('#') != fragment
            {
                self.ways_back += 1;
                browser::push_fragment(&fragment);
            } else {
                browser::set_fragment(&fragment);
            }
        }
    }
}

/// The names of the scenarios in the list of models.
fn offered() -> Vec<String> {
    let own = Model::ALL.into_iter().map(Model::story);
    let cooperative = AnyStory::from_json(VOTES_COOPERATIVE);
    own.chain([cooperative])
        .filter_map(|story| Some(story.ok()?.as_ref().name().to_owned()))
        .collect()
}

impl App {
    /// What stands for the scenario in the list of those that the program offers by itself, if it is none of them.
    fn other(&self, page: &Page) -> Option<AttrValue> {
        let (run, lang) = (&page.view.run, page.lang);
        if let Some(task) = run.task() {
            let lesson = task.place() + 1;
            return Some(match lang {
                Lang::En => format!("Lesson {lesson}").into(),
                Lang::Zh => format!("第 {lesson} 课").into(),
            });
        }
        let name = run.with(|session| session.story().name().to_owned());
        (!self.offered.contains(&name)).then(|| label(lang, Label::OtherScenario).into())
    }

    /// The stage alone, with a small control bar.
    fn embedded(&self) -> Html {
        let page = self.page.borrow();
        let on = self.on.clone();
        let (view, lang) = (&page.view, page.lang);
        let told = text::tell(&page.told.lexicon(lang), &page.told.events).what;
        html! {
            <div class="app embed" data-testid="app" data-playing={page.playing.to_string()}>
                <main class="middle">{ self.sight(&page) }</main>
                <EmbedBar
                    {lang}
                    step={view.step}
                    last={view.last}
                    playing={page.playing}
                    says={told}
                    link={self.link_of(&page)}
                    on={on.clone()}
                />
                if let Some(told) = &page.notice {
                    { notice(told, lang, &on) }
                }
            </div>
        }
    }

    /// Does what the page asks for in which this one is a frame.
    fn hear_host(&mut self, event: &MessageEvent) -> bool {
        let Some(host) = &mut self.host else {
            return false;
        };
        match host.take(event) {
            Some(Asked::Ping) => {
                let page = self.page.borrow();
                let address = page.link(self.browser_lang).write();
                host.pong(&page, &address);
                false
            }
            Some(Asked::Do(action)) => self.act(action),
            Some(Asked::Nonsense(why)) => {
                host.complain(why);
                false
            }
            None => false,
        }
    }

    /// What the middle of the page shows.
    fn sight(&self, page: &Page) -> Html {
        let on = self.on.clone();
        let (view, lang) = (Rc::clone(&page.view), page.lang);
        match page.sight {
            Sight::Watch => html! {
                <Stage
                    {view}
                    {lang}
                    selected={page.selected}
                    playing={page.playing}
                    replicas={page.replicas}
                    motion={self.canvas.motion.clone()}
                    screen={self.canvas.screen.clone()}
                    {on}
                    wake={self.awake.clone()}
                />
            },
            Sight::Checkpoints => html! { <Checkpoints {view} {lang} {on} /> },
            Sight::Guarantees => html! {
                <Guarantees {view} table={Same(Rc::clone(&page.guarantees))} {lang} {on} />
            },
            Sight::FaultMatrix => html! {
                <FaultMatrix {view} table={Same(Rc::clone(&page.fault_matrix))} {lang} {on} />
            },
            Sight::Compare => html! {
                <Compare
                    {view}
                    beside={Same(Rc::clone(&page.beside))}
                    canvases={self.beside.clone()}
                    selected={page.selected}
                    playing={page.playing}
                    comparison={Same(Rc::clone(&page.comparison))}
                    {lang}
                    {on}
                    wake={self.awake.clone()}
                />
            },
            Sight::Editor => match &page.draft {
                Some(draft) => html! { <Editor {lang} draft={Rc::clone(draft)} {on} /> },
                None => html! {},
            },
            Sight::Search => html! {
                <Search {view} search={Same(Rc::clone(&page.search))} {lang} {on} />
            },
            Sight::Claims => html! {
                <Claims claims={Same(Rc::clone(&page.claims))} {lang} {on} />
            },
            Sight::Lessons => html! {
                <Lessons predictions={Rc::clone(&page.predictions)} open={view.run.task()} {lang} {on} />
            },
            Sight::Gallery => html! {
                <Gallery
                    excerpt={page.excerpt.clone()}
                    gallery={Same(Rc::clone(&page.gallery))}
                    open={view.run.report()}
                    {lang}
                    {on}
                />
            },
        }
    }

    /// Has a worker do what is to be searched, and ends the one that does anything else.
    fn search(&mut self) {
        let page = self.page.borrow();
        let Some(task) = page.task() else {
            self.searcher = None;
            return;
        };
        if self.searcher.as_mut().is_some_and(|it| it.does(task)) {
            return;
        }
        let on = self.on.clone();
        self.searcher = Searcher::start(task, page.lang, &on);
        if self.searcher.is_none() {
            let why = label(page.lang, Label::SearchNoWorker).to_owned();
            on.emit(Action::Search(Deed::Fail(why)));
        }
    }

    /// Has the next way of taking checkpoints be measured, once what is known so far is shown: each one
    /// takes its time, in a task of its own.
    fn measure(&mut self, ctx: &Context<Self>) {
        if self.next_measurement.is_none() && self.page.borrow().is_measuring() {
            let link = ctx.link().clone();
            self.next_measurement = Some(Timeout::new(0, move || {
                link.send_message(Message::Measure);
            }));
        }
    }

    fn act(&mut self, action: Action) -> bool {
        let is_look = matches!(
            action,
            Action::Theme(_) | Action::Language(_) | Action::Address(_)
        );
        let is_in_place = self.page.borrow().undoes_in_place();
        if action == Action::Undo && self.ways_back > 0 && !is_in_place {
            // The browser knows the way, too: both lead back together.
            browser::back();
            return false;
        }
        let leads_elsewhere = action.leads_elsewhere();
        let leads_to_stage = matches!(
            action,
            Action::Address(_)
                | Action::Model(_)
                | Action::Report(_)
                | Action::Learn(_)
                | Action::Prove(..)
                | Action::Fault(_)
                | Action::Open(_)
                | Action::Search(Deed::Open(_))
                | Action::Claims(claims::Deed::Open(..))
        );
        if matches!(action, Action::Share(false)) {
            self.stop_film();
        }
        let has_dialog = |page: &Page| page.help || page.sharing.is_some();
        let had_dialog = has_dialog(&self.page.borrow());
        let (before, sight) = {
            let page = self.page.borrow();
            (Rc::clone(&page.view.run), page.sight)
        };
        if leads_elsewhere {
            browser::set_fragment(&self.page.borrow().address(self.browser_lang).write());
        }
        // On a narrow page the settings cover the stage: who breaks something wants to see it.
        let is_fault = matches!(action, Action::Crash(_) | Action::Do(_));
        let changed = self.page.borrow_mut().update(action);
        if is_fault && browser::window_size().0 < NARROW {
            self.page.borrow_mut().knobs = false;
        }
        let is_another = !Rc::ptr_eq(&before, &self.page.borrow().view.run);
        self.is_elsewhere |= leads_elsewhere && is_another;
        self.is_anew |= leads_to_stage && is_another || sight != self.page.borrow().sight;
        if is_look {
            self.dress();
            self.palette = None;
        }
        if had_dialog && !has_dialog(&self.page.borrow()) {
            give_back_focus();
        }
        self.wake();
        changed
    }

    /// Gives the document the language and the theme of the page.
    fn dress(&self) {
        let page = self.page.borrow();
        let Some(root) = browser::root() else {
            return;
        };
        root.set_lang(page.lang.pick("en", "zh-CN"));
        // An attribute with a fixed name: cannot fail.
        let _ = match page.theme {
            Theme::Auto => root.remove_attribute("data-theme"),
            theme => root.set_attribute("data-theme", theme.code()),
        };
    }

    /// Asks for a frame, unless one is due.
    fn wake(&mut self) {
        if self.is_frame_due {
            return;
        }
        let asked = browser::window()
            .map(|window| window.request_animation_frame(self.on_frame.as_ref().unchecked_ref()));
        self.is_frame_due = asked.is_some_and(|asked| asked.is_ok());
    }

    /// Moves time and everything that moves on, and draws it.
    fn frame(&mut self, time: f64) -> bool {
        self.is_frame_due = false;
        // A film has its own time.
        if self.shooting.is_some() {
            self.last_frame = None;
            self.paint();
            return false;
        }
        let millis = (self.last_frame)
            .map_or(0.0, |last| time - last)
            .clamp(0.0, LONGEST_FRAME);
        let changed = self.page.borrow_mut().update(Action::Tick(millis));
        let page = self.page.borrow();
        let traced = page.life.as_ref().map(|life| life.record);
        let mut is_moving = self.canvas.advance(&page.view, page.now, millis, traced);
        for (canvas, column) in self.beside.iter().zip(&page.beside.columns) {
            if let Some(view) = column.shown().filter(|_| page.sight == Sight::Compare) {
                // A run that goes on when the one that is looked at is over stands at its end, too.
                let now = match page.at_end() {
                    true => view.time.0 as f64,
                    false => page.now,
                };
                is_moving |= canvas.advance(view, now, millis, traced);
            }
        }
        let is_playing = page.playing;
        if is_playing && !self.is_marked && self.canvas.motion.borrow_mut().take_record_moved() {
            self.is_marked = true;
            mark_first_moving_record();
        }
        drop(page);
        self.paint();
        self.last_frame = (is_playing || is_moving).then_some(time);
        if self.last_frame.is_some() {
            self.wake();
        }
        changed
    }

    fn paint(&mut self) {
        let is_beside = self.page.borrow().sight == Sight::Compare;
        let shown = match is_beside {
            true => self.beside.as_slice(),
            false => std::slice::from_ref(&self.canvas),
        };
        if self.palette.is_none() {
            self.palette = shown.iter().find_map(Canvas::palette);
        }
        for canvas in shown {
            canvas.paint(self.palette.as_ref());
        }
    }

    /// Asks the browser whether there should be less movement.
    fn reduce(&self) {
        let is_reduced = browser::prefers(REDUCED_MOTION);
        for canvas in self.beside.iter().chain([&self.canvas]) {
            canvas.reduce(is_reduced);
        }
    }

    /// What a key means, if it means anything here.
    fn action_of(&self, event: &KeyboardEvent) -> Option<Action> {
        let is_command = event.ctrl_key() || event.meta_key();
        if is_command && !event.shift_key() && event.key() == "z" && !is_in_text(event) {
            return Some(Action::Undo);
        }
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return None;
        }
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        let tag = target.as_ref().map(Element::tag_name).unwrap_or_default();
        if is_in_text(event) {
            return None;
        }
        let is_button = tag == "BUTTON" || tag == "A";
        let page = self.page.borrow();
        // Behind a dialog no key means anything, wherever the focus has gone.
        if page.help || page.sharing.is_some() {
            return match (event.key().as_str(), page.help) {
                ("Escape" | "?", true) => Some(Action::Help(false)),
                ("Escape", false) => Some(Action::Share(false)),
                _ => None,
            };
        }
        // The gallery is about no run: keys that lead through one scroll it.
        if !page.sight.has_time() && is_about_a_run(&event.key()) {
            return None;
        }
        let action = match (event.key().as_str(), event.shift_key()) {
            (" ", _) if !is_button => Action::Toggle,
            ("ArrowRight", false) => Action::Step,
            ("ArrowLeft", false) => Action::Back,
            ("ArrowRight", true) => Action::NextMark,
            ("ArrowLeft", true) => Action::PreviousMark,
            ("Home", _) => Action::Start,
            ("End", _) => Action::End,
            ("+" | "=", _) => Action::Speed((page.speed * 1.25).min(SPEEDS.1)),
            ("-" | "_", _) => Action::Speed((page.speed / 1.25).max(SPEEDS.0)),
            ("?", _) => Action::Help(!page.help),
            ("Escape", _) if page.notice.is_some() => Action::Dismiss,
            ("Escape", _) if page.knobs && browser::window_size().0 < ROOMY => Action::Knobs(false),
            ("Escape", _) if page.selected.is_some() => Action::Select(None),
            ("s", false) => Action::Share(true),
            ("u", false) => Action::Undo,
            ("n", false) if page.view.run.model().is_job() => Action::Names(!page.names),
            ("r", false) if page.view.has_brokers() => Action::Replicas(!page.replicas),
            ("d", false) => {
                let shown = page.spacetime.is_some() && page.sight == Sight::Watch;
                let axis = page.spacetime.unwrap_or(Along::Steps);
                Action::SpaceTime((!shown).then_some(axis))
            }
            ("[", _) => Action::Run(page.neighbour(-1)?),
            ("]", _) => Action::Run(page.neighbour(1)?),
            ("w", false) => Action::Look(Sight::Watch),
            ("k", false) => Action::Look(Sight::Checkpoints),
            ("m", false) => Action::Look(Sight::Compare),
            ("g", false) => Action::Look(Sight::Guarantees),
            ("t", false) => Action::Look(Sight::FaultMatrix),
            ("b", false) => Action::Look(Sight::Search),
            ("a", false) => Action::Look(Sight::Claims),
            ("e", false) => Action::Look(Sight::Editor),
            ("l", false) => Action::Look(Sight::Lessons),
            ("f", false) => Action::Look(Sight::Gallery),
            ("x", false) => {
                let open = page.view.run.report()?;
                Action::Report(open.with_fix(!open.fixed))
            }
            ("c" | "C", _) => {
                let node = browser::focused_node().map(barrierscope_core::id::NodeId);
                Action::Crash(node.or(page.selected).or(page.inspected)?)
            }
            (key, false) => {
                let number: usize = key.parse().ok()?;
                Action::Choose(number.checked_sub(1)?)
            }
            _ => return None,
        };
        Some(action)
    }
}

/// Puts the run aside, so that it can be saved whatever goes wrong.
fn put_aside(page: &Page, aside: &mut Option<Rc<Run>>) {
    let run = &page.view.run;
    let way = Way {
        branches: run.branches.clone(),
        step: page.view.step,
    };
    let is_known = aside.as_ref().is_some_and(|known| Rc::ptr_eq(known, run));
    panic::put_aside(way, || {
        (!is_known).then(|| run.with(|session| session.story().to_json()))
    });
    *aside = Some(Rc::clone(run));
}

/// The page as its address describes it, or, where that says nothing, as it was left. What was chosen once stays chosen.
fn begin(fragment: &str, lang: Lang, memory: Option<Memory>) -> Result<Page, ScenarioError> {
    let Some(memory) = memory else {
        return Page::open(fragment, lang);
    };
    let is_return = fragment.trim_start_matches('#').is_empty();
    let kept = if is_return {
        memory.address.as_str()
    } else {
        fragment
    };
    let mut page = Page::open(kept, memory.lang.unwrap_or(lang))?;
    if is_return {
        if let Some(scenario) = memory.scenario {
            page.update(Action::Open(scenario));
        }
        // A kept scenario that is none any more is no mistake of whoever comes back.
        if page.notice.is_some() {
            page = Page::open("", memory.lang.unwrap_or(lang))?;
        }
        page.speed = memory.speed.unwrap_or(page.speed);
    }
    page.theme = Address::read(fragment)
        .0
        .theme
        .or(memory.theme)
        .unwrap_or_default();
    page.predictions = Rc::new(memory.predictions);
    Ok(page)
}

/// Whether a key leads through a run, or does something in it.
fn is_about_a_run(key: &str) -> bool {
    let known = [
        " ",
        "ArrowRight",
        "ArrowLeft",
        "Home",
        "End",
        "+",
        "=",
        "-",
        "_",
        "c",
        "C",
        "x",
    ];
    known.contains(&key) || key.parse::<u8>().is_ok()
}

/// Whether a key was pressed where it means something to a field.
fn is_in_text(event: &KeyboardEvent) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let tag = target.as_ref().map(Element::tag_name).unwrap_or_default();
    matches!(tag.as_str(), "INPUT" | "SELECT" | "TEXTAREA")
}

/// After a dialog the focus goes back to where the keys of the page are heard.
fn give_back_focus() {
    let button = browser::document().and_then(|document| {
        document
            .query_selector("[data-testid=scrubber]")
            .ok()
            .flatten()
    });
    if let Some(button) = button {
        browser::focus(&button);
    }
}

/// For measuring how soon the page is alive.
fn mark_first_moving_record() {
    if let Some(performance) = browser::window().and_then(|window| window.performance()) {
        // A measurement that is not taken does no harm.
        let _ = performance.mark("first-moving-record");
    }
}
