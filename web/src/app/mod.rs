//! The page as a whole: state, keys, frames, address.

mod handle;
mod listen;
mod searcher;

use std::cell::RefCell;
use std::rc::Rc;

use barrierscope_core::scenario::Scenario;
use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{Element, HtmlCanvasElement, HtmlElement, MediaQueryList};
use yew::{Component, Context, Html, KeyboardEvent, classes, html};

use crate::address::{Address, Theme};
use crate::browser;
use crate::components::account::AccountBar;
use crate::components::case_bar::CaseBar;
use crate::components::checkpoints::Checkpoints;
use crate::components::claims::Claims;
use crate::components::compare::Compare;
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
use crate::components::story::Story;
use crate::components::top_bar::TopBar;
use crate::components::transport::Transport;
use crate::same::Same;
use crate::stage::motion::Motion;
use crate::stage::paint::{Painter, Palette};
use crate::stage::{Screen, Stage};
use crate::state::claims;
use crate::state::search::Deed;
use crate::state::{Action, Model, Page, SPEEDS, Sight};
use crate::text::{self, Label, Lang, label};
use handle::expose;
use listen::listen;
use searcher::Searcher;

/// What the page hears of.
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
    /// The page was changed from outside.
    Refresh,
}

/// The page.
pub struct App {
    page: Rc<RefCell<Page>>,
    /// The language that the browser asks for: the address need not say it.
    browser_lang: Lang,
    motion: Same<RefCell<Motion>>,
    screen: Screen,
    painter: Option<Painter>,
    palette: Option<Palette>,
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
    /// What measures next for the comparison.
    next_measurement: Option<Timeout>,
    /// What searches, while a search is under way.
    searcher: Option<Searcher>,
    _listeners: Vec<EventListener>,
    _preferences: Vec<MediaQueryList>,
    _handle: Vec<Closure<dyn FnMut(JsValue) -> JsValue>>,
}

/// Above this width the knobs are shown from the start.
const ROOMY: f64 = 1180.0;
/// So often the address follows while time passes, in milliseconds.
const WRITE_EVERY: f64 = 1_000.0;
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
        let mut page = match Page::open(&fragment, browser_lang) {
            Ok(page) => page,
            Err(error) => panic!("the default story is broken: {error}"),
        };
        let is_reduced = browser::prefers(REDUCED_MOTION);
        // An address that names a step asks to look at it; without one the story runs.
        let is_at_step = Address::parse(&fragment).is_ok_and(|address| address.step.is_some());
        // Nobody sees time pass behind what is about no run.
        let is_seen = page.sight.has_time() && page.sight != Sight::FaultMatrix;
        page.playing = !is_reduced && !is_at_step && is_seen;
        page.knobs = browser::window_size().0 >= ROOMY;
        let page = Rc::new(RefCell::new(page));
        let mut motion = Motion::default();
        motion.reduced = is_reduced;

        let link = ctx.link().clone();
        let on_frame = Closure::new(move |time| link.send_message(Message::Frame(time)));
        let (listeners, preferences) = listen(ctx);
        let app = Self {
            browser_lang,
            motion: Same::new(RefCell::new(motion)),
            screen: Screen::default(),
            painter: None,
            palette: None,
            on_frame,
            is_frame_due: false,
            last_frame: None,
            written: 0.0,
            is_elsewhere: false,
            ways_back: 0,
            is_anew: false,
            is_dragging: false,
            is_marked: false,
            next_measurement: None,
            searcher: None,
            _listeners: listeners,
            _preferences: preferences,
            _handle: expose(ctx, &page),
            page,
        };
        app.dress();
        app
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        match message {
            Message::Act(action) => {
                let changed = self.act(action);
                self.search(ctx);
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
                let action = match Address::parse(&fragment) {
                    Ok(address) => Action::Address(address),
                    Err(error) => Action::BadAddress(Address::look(&fragment), error),
                };
                self.act(action)
            }
            Message::Preferences => {
                self.palette = None;
                self.motion.borrow_mut().reduced = browser::prefers(REDUCED_MOTION);
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
            Message::Refresh => {
                self.wake();
                true
            }
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let page = self.page.borrow();
        let on = ctx.link().callback(Message::Act);
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
        let is_lesson = page.sight == Sight::Watch && view.run.task().is_some();
        html! {
            <div
                class={classes!("app", format!("in-{}", page.sight.code()), page.knobs.then_some("with-knobs"), is_lesson.then_some("in-lesson"))}
                data-testid="app"
                data-playing={page.playing.to_string()}
            >
                <TopBar
                    {lang}
                    theme={page.theme}
                    scenario={name}
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
                    { self.sight(ctx, &page) }
                    <Inspector
                        view={Rc::clone(view)}
                        {lang}
                        inspected={page.inspected}
                        is_selected={page.selected.is_some()}
                        playing={page.playing}
                        runs={page.runs.iter().map(|run| Same(Rc::clone(run))).collect::<Vec<_>>()}
                        on={on.clone()}
                    />
                </main>
                <Story view={Rc::clone(&page.told)} {lang} playing={page.playing} />
                <Transport
                    view={Rc::clone(view)}
                    limit={page.limit()}
                    {lang}
                    playing={page.playing}
                    speed={page.speed}
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
        if std::mem::take(&mut self.is_anew) {
            browser::scroll_to_top(".middle");
        }
        let page = self.page.borrow();
        if let Some(root) = browser::root() {
            // A page whose step cannot be written down is still a page.
            let _ = root.dataset().set("step", &page.view.step.to_string());
        }
        let time = browser::wall_time();
        if !page.playing || self.is_elsewhere || time - self.written > WRITE_EVERY {
            self.written = time;
            let fragment = page.address(self.browser_lang).write();
            let is_elsewhere = std::mem::take(&mut self.is_elsewhere);
            // An entry with the same address would lead nowhere.
            if is_elsewhere && browser::fragment().trim_start_matches('#') != fragment {
                self.ways_back += 1;
                browser::push_fragment(&fragment);
            } else {
                browser::set_fragment(&fragment);
            }
        }
    }
}

impl App {
    /// What the middle of the page shows.
    fn sight(&self, ctx: &Context<Self>, page: &Page) -> Html {
        let on = ctx.link().callback(Message::Act);
        let (view, lang) = (Rc::clone(&page.view), page.lang);
        match page.sight {
            Sight::Watch => html! {
                <Stage
                    {view}
                    {lang}
                    selected={page.selected}
                    playing={page.playing}
                    replicas={page.replicas}
                    motion={self.motion.clone()}
                    screen={self.screen.clone()}
                    {on}
                    wake={ctx.link().callback(|()| Message::Wake)}
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
                <Compare {view} comparison={Same(Rc::clone(&page.comparison))} {lang} {on} />
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
    fn search(&mut self, ctx: &Context<Self>) {
        let page = self.page.borrow();
        let Some(task) = page.task() else {
            self.searcher = None;
            return;
        };
        if self.searcher.as_mut().is_some_and(|it| it.does(task)) {
            return;
        }
        let on = ctx.link().callback(Message::Act);
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
        if action == Action::Undo && self.ways_back > 0 {
            // The browser knows the way, too: both lead back together.
            browser::back();
            return false;
        }
        let leads_elsewhere = action.leads_elsewhere();
        let leads_to_stage = matches!(
            action,
            Action::Model(_)
                | Action::Report(_)
                | Action::Learn(_)
                | Action::Prove(..)
                | Action::Fault(_)
                | Action::Open(_)
                | Action::Search(Deed::Open(_))
                | Action::Claims(claims::Deed::Open(..))
        );
        let was_help = self.page.borrow().help;
        let (before, sight) = {
            let page = self.page.borrow();
            (Rc::clone(&page.view.run), page.sight)
        };
        if leads_elsewhere {
            browser::set_fragment(&self.page.borrow().address(self.browser_lang).write());
        }
        let changed = self.page.borrow_mut().update(action);
        let is_another = !Rc::ptr_eq(&before, &self.page.borrow().view.run);
        self.is_elsewhere |= leads_elsewhere && is_another;
        self.is_anew |= leads_to_stage && is_another || sight != self.page.borrow().sight;
        if is_look {
            self.dress();
            self.palette = None;
        }
        if was_help && !self.page.borrow().help {
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
        let millis = (self.last_frame)
            .map_or(0.0, |last| time - last)
            .clamp(0.0, LONGEST_FRAME);
        let changed = self.page.borrow_mut().update(Action::Tick(millis));
        let page = self.page.borrow();
        let mut motion = self.motion.borrow_mut();
        motion.show(&page.view.scene, page.view.step);
        motion.names = page.names;
        // Whoever asked for less movement sees a step, then the next one.
        let now = if motion.reduced {
            page.view.time.0 as f64
        } else {
            page.now
        };
        let is_moving = motion.advance(now, millis);
        let is_playing = page.playing;
        if is_playing && motion.take_record_moved() && !self.is_marked {
            self.is_marked = true;
            mark_first_moving_record();
        }
        drop((page, motion));
        self.paint();
        self.last_frame = (is_playing || is_moving).then_some(time);
        if self.last_frame.is_some() {
            self.wake();
        }
        changed
    }

    fn paint(&mut self) {
        // The stage comes and goes, and its canvas with it.
        let canvas = self.screen.canvas.cast::<HtmlCanvasElement>();
        if self.painter.as_ref().map(Painter::canvas) != canvas.as_ref() {
            self.painter = canvas.and_then(Painter::new);
        }
        if self.palette.is_none() {
            let swatches = self.screen.swatches.cast::<Element>();
            self.palette = swatches.map(|swatches| Palette::read(&swatches));
        }
        let motion = self.motion.borrow();
        if let (Some(painter), Some(palette)) = (&self.painter, &self.palette) {
            painter.paint(&motion, palette);
        }
        self.place_tip(&motion);
    }

    /// Has the note follow the token that is pointed at.
    fn place_tip(&self, motion: &Motion) {
        let (Some(tip), Some(layout)) = (self.screen.tip.cast::<HtmlElement>(), motion.layout())
        else {
            return;
        };
        let place = match motion.pointed_at() {
            Some(drawn) => {
                let (w, h) = (layout.size.w * layout.zoom, layout.size.h * layout.zoom);
                let x = (drawn.at.x * layout.zoom + 14.0)
                    .min(w - f64::from(tip.offset_width()) - 4.0)
                    .max(4.0);
                let y = (drawn.at.y * layout.zoom + 14.0)
                    .min(h - f64::from(tip.offset_height()) - 4.0)
                    .max(4.0);
                format!(
                    "transform:translate({}px,{}px)",
                    x.round() as i64,
                    y.round() as i64
                )
            }
            None => "visibility:hidden".to_owned(),
        };
        // An attribute with a fixed name: cannot fail.
        let _ = tip.set_attribute("style", &place);
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
            ("u", false) => Action::Undo,
            ("n", false) if page.view.run.model().is_job() => Action::Names(!page.names),
            ("r", false) if page.view.has_brokers() => Action::Replicas(!page.replicas),
            ("w", false) => Action::Look(Sight::Watch),
            ("k", false) => Action::Look(Sight::Checkpoints),
            ("m", false) => Action::Look(Sight::Compare),
            ("g", false) => Action::Look(Sight::Guarantees),
            ("t", false) => Action::Look(Sight::FaultMatrix),
            ("s", false) => Action::Look(Sight::Search),
            ("a", false) => Action::Look(Sight::Claims),
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
