import dev.hermod.FollowQuery;
import dev.hermod.Hermod;
import dev.hermod.PullOptions;
import dev.hermod.PulledWebhook;
import dev.hermod.model.CreateEndpoint;
import dev.hermod.model.CreateWebhook;
import dev.hermod.model.DeliveryWay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Leaves loops in each way, and prints what came of it. */
final class Loops {
    public static void main(String[] arguments) throws Exception {
        var hermod = new Hermod(arguments[0], arguments[1]);
        var pulled = new CreateEndpoint().delivery(DeliveryWay.PULL).retryScheduleMs(List.of(3_600_000));
        var endpoint = hermod.endpoints().create(pulled).id();
        for (int i = 1; i <= 4; i++) hermod.webhooks().send(new CreateWebhook().endpointId(endpoint).data(i));
        PulledWebhook left;
        try (var webhooks = hermod.receive(endpoint)) {
            left = webhooks.iterator().next();
        }
        System.out.println("left " + left.sequence());
        try (var webhooks = hermod.receive(endpoint)) {
            left = webhooks.iterator().next();
            left.ack();
        }
        System.out.println("acknowledged " + left.sequence());
        try (var webhooks = hermod.receive(endpoint, new PullOptions().limit(1))) {
            for (var webhook : webhooks) {
                System.out.println("interrupted " + webhook.sequence());
                Thread.currentThread().interrupt();
            }
        }
        System.out.println(Thread.interrupted());
        try (var webhooks = hermod.receive(endpoint)) {
            left = webhooks.iterator().next();
            left.fail("disk\u0000 full", Duration.ofHours(1));
        }
        System.out.println("failed " + left.sequence() + " " + hermod.webhooks().get(left.id()).attempts().get(0).error());
        try {
            left.ack();
        } catch (IllegalStateException late) {
            System.out.println("too late");
        }
        System.out.println("streamed " + hermod.webhooks().all().stream().limit(3).count());
        follow(hermod);
    }

    /** Ends a follower from another thread. */
    private static void follow(Hermod hermod) throws InterruptedException {
        var hasRead = new CountDownLatch(4);
        var deliveries = hermod.webhooks().follow(new FollowQuery().start("start"));
        var found = new ArrayList<Long>();
        var follower = new Thread(() -> {
            for (var delivery : deliveries) {
                found.add(delivery.sequence());
                hasRead.countDown();
            }
        });
        follower.start();
        hasRead.await();
        deliveries.close();
        follower.join();
        System.out.println("followed " + found);
    }
}
