use std::sync::mpsc;

use lonis_schema::{BlockKind, ErrorKind};

use super::*;
use crate::fixture::said;

fn contents(stream: BlockStream<BlockKind>) -> Vec<Result<String, String>> {
    stream
        .map(|item| {
            item.map(|block| block.render_human())
                .map_err(|error| error.kind().to_string())
        })
        .collect()
}

#[test]
fn an_error_is_the_last_item() {
    let failure = || Err(ToolError::new(ErrorKind::BadInput, "odd"));
    let items = [Ok(said("a")), failure(), Ok(said("b")), failure()];
    let mut stream = BlockStream::from_results(items.into_iter());
    assert_eq!(stream.next(), Some(Ok(said("a"))));
    assert_eq!(stream.next(), Some(failure()));
    assert_eq!((stream.next(), stream.next()), (None, None));
}

#[test]
fn produced_blocks_arrive_in_order_and_then_the_error() {
    let stream = BlockStream::produce(2, |out| {
        for word in ["a", "b", "c", "d"] {
            out.emit(said(word))?;
        }
        Err(ToolError::new(ErrorKind::RateLimited, "enough"))
    });
    let expected = ["a", "b", "c", "d"].map(|word| Ok(format!("message: {word}")));
    assert_eq!(
        contents(stream),
        [&expected[..], &[Err("rate_limited".to_owned())]].concat()
    );
}

#[test]
fn a_panic_in_the_thread_is_the_last_item() {
    let stream = BlockStream::<BlockKind>::produce(1, |out| {
        out.emit(said("a"))?;
        panic!("lost the thread");
    });
    assert_eq!(
        contents(stream),
        [Ok("message: a".to_owned()), Err("internal".to_owned())]
    );
}

#[test]
fn a_producer_is_held_back_and_ends_with_its_stream() {
    let (report, reports) = mpsc::channel();
    let mut stream = BlockStream::produce(3, move |out| {
        for number in 0.. {
            if let Err(stopped) = out.emit(said("x")) {
                report
                    .send((number, out.is_stopped(), ToolError::from(stopped)))
                    .unwrap();
                break;
            }
        }
        Ok(())
    });
    assert!(stream.next().is_some());
    drop(stream);
    let (emitted, told, error) = reports.recv().unwrap();
    // One was taken and three waited; the fifth was on its way when the stream went.
    assert!(emitted <= 4, "{emitted} blocks were taken");
    assert!(told);
    assert_eq!(error.kind(), &ErrorKind::Cancelled);
}

#[cfg(feature = "futures")]
mod asynchronous {
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake};
    use std::thread::Thread;

    use futures_core::Stream;

    use super::*;

    /// Unparks the thread that polls.
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    fn contents(mut stream: AsyncBlockStream<BlockKind>) -> Vec<Result<String, String>> {
        let waker = Arc::new(Unpark(std::thread::current())).into();
        let mut context = Context::from_waker(&waker);
        let mut items = Vec::new();
        loop {
            match Pin::new(&mut stream).poll_next(&mut context) {
                Poll::Ready(Some(item)) => {
                    items.push(
                        item.map(|block| block.render_human())
                            .map_err(|error| error.kind().to_string()),
                    );
                }
                Poll::Ready(None) => return items,
                Poll::Pending => std::thread::park(),
            }
        }
    }

    #[test]
    fn polling_gives_what_pulling_gives() {
        let results = || {
            BlockStream::from_results(
                [
                    Ok(said("a")),
                    Err(ToolError::new(ErrorKind::BadInput, "odd")),
                ]
                .into_iter(),
            )
        };
        assert_eq!(contents(results().into_async()), super::contents(results()));

        let produced = || {
            BlockStream::produce(1, |out| {
                (0..1000).try_for_each(|number| out.emit(said(&number.to_string())))?;
                Err(ToolError::new(ErrorKind::BadInput, "odd"))
            })
        };
        let polled = contents(produced().into_async());
        assert_eq!(polled.len(), 1001);
        assert_eq!(polled, super::contents(produced()));
    }
}
