//! Prints whether each vector, a line of stdin, is genuine.

mod verify;

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.expect("a line");
        let fields: Vec<&str> = line.split('\t').collect();
        let [body, id, timestamp, signatures, secrets, now] = fields[..] else {
            panic!("six fields")
        };
        let secrets: Vec<&str> = secrets.split(' ').collect();
        let now = now.parse().expect("a number");
        println!(
            "{}",
            verify::is_genuine(body.as_bytes(), [id, timestamp, signatures], &secrets, now)
        );
    }
}
